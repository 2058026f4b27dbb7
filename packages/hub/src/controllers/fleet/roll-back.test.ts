import { type RolloutPolicySpec, rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import type { ProviderAnswer } from '@outrigger/rules/policy';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../../testing/fleet/world.js';
import { condition, entryOf, fleetOf, inFlight, isDone, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const OUTRIGGER = 'outrigger.dev/v1alpha1';
const STRATEGY = progressive({ maxConcurrency: 1, maxFailures: 0 });

function govern(world: World, spec: Partial<RolloutPolicySpec> = { onFailure: { action: 'RollBack' } }): void {
  world.hub.put(rolloutPolicies, {
    apiVersion: OUTRIGGER,
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { addOns: { names: [ADD_ON] }, ...spec },
  } as unknown as KubeObject);
}

function retry(world: World, revision: number, gate = 'p/onFailure'): void {
  const metadata = { name: `retry-${world.wall}`, creationTimestamp: toTime(world.wall) };
  const spec = { addOn: ADD_ON, entry: 'default/all', revision, gate, decision: 'Retried', by: 'alice' };
  world.hub.put(rolloutApprovals, { apiVersion: OUTRIGGER, kind: 'RolloutApproval', metadata, spec } as unknown as KubeObject);
}

function fleetAt(version: string, strategy: object = STRATEGY): World {
  const world = fleetOf(CLUSTERS, { ...strategy, addonTemplate: { installVersion: version } });
  settle(world, CLUSTERS);
  return world;
}

/** Creates a template for the version, and declares the version. */
function ask(world: World, installVersion: string, strategy: object = STRATEGY): void {
  world.template(installVersion, `hello:${installVersion}`);
  world.declare({
    installStrategy: { type: 'Placements', placements: [placementEntry('all', { ...strategy, addonTemplate: { installVersion } })] },
  });
}

const versions = (world: World): string => CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.currentVersion ?? '-').join();
/** Agents report that v2 fails, and that any other version succeeds. */
const v2Fails = (world: World) => (cluster: string) =>
  world.addOn(cluster)?.status?.installVersion === 'v2' ? ('failed' as const) : ('arrived' as const);
const outcomes = (world: World): readonly string[] =>
  (entryOf(world).timeline ?? []).map(({ cause, to, outcome = 'open' }) => `${cause ?? '?'} ${to} ${outcome}`);

/** A fleet at v1 whose upgrade to v2 has failed on c1. */
function failedFleet(spec?: Partial<RolloutPolicySpec>, strategy: object = STRATEGY): World {
  const world = fleetAt('v1', strategy);
  govern(world, spec);
  ask(world, 'v2', strategy);
  settle(world, CLUSTERS, v2Fails(world));
  return world;
}

describe('an automatic rollback', () => {
  it('starts after 60 s above maxFailures, goes back to the version that completed, and rejects the content', () => {
    const world = failedFleet();
    expect([entryOf(world).state, entryOf(world).targetRevision, entryOf(world).rejected]).toEqual(['Halted', 2, undefined]);
    expect(entryOf(world).message).toContain('goes back 60 s after');
    expect(world.pass(0)).toEqual([]);
    expect(world.recheckMs).toBeLessThanOrEqual(60_000);
    world.tick(world.recheckMs ?? 0);
    settle(world, CLUSTERS, v2Fails(world));
    expect(versions(world)).toBe('v1,v1,v1,v1');
    expect(outcomes(world)).toEqual(['Automatic 1 Completed', 'Declaration 2 RolledBack', 'Declaration 1 Completed']);
    expect(entryOf(world)).toMatchObject({
      state: 'Completed',
      targetRevision: 1,
      rolledBack: { from: 2, to: 1, reason: '1 cluster failed, more than maxFailures tolerates' },
      rejected: [{ revision: 2, gate: 'p/onFailure' }],
    });
    expect(condition(world, 'Degraded')).toEqual({
      status: 'True',
      reason: 'RolledBack',
      message: 'default/all: revision 2 is rejected, went back to revision 1: 1 cluster failed, more than maxFailures tolerates',
    });
    expect(world.counted).toMatchObject([{ addOn: ADD_ON, rolledBack: 1 }]);
    expect(world.pass(0)).toEqual([]);
  });

  it('does not start if the failure ends within 60 s, and counts from zero after a break', () => {
    const world = failedFleet();
    world.tick(50_000);
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).failedSince]).toEqual(['v2,v2,v2,v2', undefined]);
    world.tick(600_000);
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ targetRevision: 2, state: 'Completed' });
  });

  it('does not start while a failed cluster that is done again soaks, although it counts as failed', () => {
    const strategy = progressive({ maxConcurrency: 1, maxFailures: 0, minSuccessTime: '10m' });
    const world = fleetAt('v1', STRATEGY);
    govern(world);
    ask(world, 'v2', strategy);
    settle(world, CLUSTERS, v2Fails(world));
    world.report('c1', 'arrived');
    world.tick(1_100);
    world.pass(0);
    for (let minute = 0; minute < 9; minute++) {
      world.tick(60_000);
      world.pass(0);
      expect(entryOf(world)).toMatchObject({ state: 'Halted', targetRevision: 2, failed: 1 });
    }
    world.tick(60_000);
    world.pass(0);
    expect(entryOf(world)).toMatchObject({ state: 'Progressing', targetRevision: 2, failed: 0, done: 1 });
  });

  it('is counted from the stored time by the next leader', () => {
    const world = failedFleet();
    world.tick(40_000);
    world.crash(0);
    world.pass(0);
    expect(world.recheckMs).toBeLessThanOrEqual(20_000);
    world.tick(20_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect(entryOf(world).targetRevision).toBe(1);
  });

  it.each([
    ['a policy that says Halt', { onFailure: { action: 'Halt' } } as const],
    ['a policy without onFailure', {}],
  ])('does not start with %s', (_, spec) => {
    const world = failedFleet(spec);
    world.tick(600_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([entryOf(world).state, entryOf(world).targetRevision, entryOf(world).failedSince]).toEqual(['Halted', 2, undefined]);
  });

  it('is held by paused, and starts 60 s after the pause', () => {
    const world = failedFleet();
    world.ask({ paused: true });
    world.tick(600_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([entryOf(world).state, entryOf(world).targetRevision]).toEqual(['Paused', 2]);
    world.ask({ paused: false });
    settle(world, CLUSTERS, v2Fails(world));
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect(versions(world)).toBe('v1,v1,v1,v1');
  });

  it('does not start from a pinned revision', () => {
    const world = failedFleet();
    world.ask({ pinnedRevision: 2 });
    world.tick(600_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([entryOf(world).state, entryOf(world).targetRevision]).toEqual(['Halted', 2]);
  });

  it('does not start without an earlier version that completed', () => {
    const world = fleetOf(CLUSTERS, { ...STRATEGY, addonTemplate: { installVersion: 'v2' } });
    world.template('v2', 'hello:v2');
    govern(world);
    settle(world, CLUSTERS, v2Fails(world));
    world.tick(600_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([entryOf(world).state, entryOf(world).rejected, condition(world, 'Degraded')]).toEqual(['Halted', undefined, undefined]);
  });

  it('halts if the way back fails too, and never starts again by itself', () => {
    const world = failedFleet();
    world.tick(60_000);
    for (let i = 0; i < 5; i++) {
      settle(world, CLUSTERS, () => 'failed');
      world.tick(600_000);
    }
    expect(entryOf(world)).toMatchObject({ state: 'Halted', targetRevision: 1, rolledBack: { from: 2, to: 1 } });
    expect(world.counted.reduce((sum, { rolledBack }) => sum + rolledBack, 0)).toBe(1);
  });

  it('is held by no window and no approval', () => {
    const world = failedFleet();
    govern(world, {
      onFailure: { action: 'RollBack' },
      windows: [{ name: 'freeze', effect: 'Deny', from: toTime(world.wall), until: toTime(world.wall + 86_400_000) }],
      approvals: [{ name: 'go', before: 'Rollout' }],
    });
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([versions(world), entryOf(world).waitingFor]).toEqual(['v1,v1,v1,v1', undefined]);
  });

  it('rejects the content for good (A, B, A), until it changes', () => {
    const world = failedFleet();
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    ask(world, 'v3');
    settle(world, CLUSTERS);
    expect([versions(world), condition(world, 'Degraded')]).toEqual(['v3,v3,v3,v3', undefined]);
    ask(world, 'v2');
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).targetRevision]).toEqual(['v3,v3,v3,v3', 3]);
    expect(condition(world, 'Degraded')?.message).toBe(
      'default/all: revision 2 is rejected: 1 cluster failed, more than maxFailures tolerates',
    );
    world.template('v2', 'hello:fixed');
    settle(world, CLUSTERS);
    expect([versions(world), condition(world, 'Degraded')]).toEqual(['v2,v2,v2,v2', undefined]);
  });

  it('is tried once more after a Retried decision', () => {
    const world = failedFleet();
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    world.tick(5_000);
    retry(world, 2);
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).rejected, entryOf(world).rolledBack]).toEqual(['v2,v2,v2,v2', undefined, undefined]);
    expect(entryOf(world).timeline?.[0]).toMatchObject({ to: 2, outcome: 'Completed' });
  });

  it('after a Retried decision that fails again rejects again', () => {
    const world = failedFleet();
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    world.tick(5_000);
    retry(world, 2);
    settle(world, CLUSTERS, v2Fails(world));
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect([versions(world), entryOf(world).rejected?.length]).toEqual(['v1,v1,v1,v1', 1]);
  });

  it('keeps its rejection and its record format after the policy is deleted', () => {
    const world = failedFleet();
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    world.hub.remove(rolloutPolicies, { name: 'p' });
    settle(world, CLUSTERS);
    expect([versions(world), world.rollout()?.status?.formatVersion]).toEqual(['v1,v1,v1,v1', 2]);
    ask(world, 'v3');
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v3,v3,v3,v3');
  });

  it('takes failed clusters first, then those in flight, then those that succeeded, within the budget of the policy', () => {
    const strategy = progressive({ maxConcurrency: 4, maxFailures: 0, minSuccessTime: '10m' });
    const world = fleetAt('v1', strategy);
    world.tick(700_000);
    settle(world, CLUSTERS);
    govern(world, { onFailure: { action: 'RollBack', maxConcurrency: 1 } });
    ask(world, 'v2', strategy);
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    world.report('c1', 'arrived');
    world.tick(1_100);
    world.pass(0);
    world.tick(650_000);
    world.pass(0);
    world.report('c2', 'arrived');
    world.report('c4', 'failed');
    world.tick(1_100);
    world.pass(0);
    expect([entryOf(world).done, entryOf(world).failed, inFlight(world)]).toEqual([1, 1, 'c2,c3']);
    world.tick(61_000);
    const admitted: string[] = [];
    for (let i = 0; i < 12; i++) {
      world.pass(0);
      for (const { cluster, revision } of entryOf(world).inFlight ?? [])
        if (revision === 1 && !admitted.includes(cluster)) admitted.push(cluster);
      for (const cluster of CLUSTERS) world.addOnPass(cluster);
      const moving = (entryOf(world).inFlight ?? []).filter(({ revision }) => revision === 1);
      expect(moving.length).toBeLessThanOrEqual(1);
      for (const { cluster } of moving) if (!isDone(world, cluster)) world.report(cluster, 'arrived');
      world.tick(1_100);
    }
    // c3 was still in flight, so it keeps its slot and is retargeted (addons.md §5).
    expect(admitted).toEqual(['c3', 'c4', 'c2', 'c1']);
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).state]).toEqual(['v1,v1,v1,v1', 'Completed']);
  });

  it('rejects the content in all entries: others on their way go back too', () => {
    const entries = (version: string): object => ({
      installStrategy: {
        type: 'Placements',
        placements: ['all', 'more'].map((name) => placementEntry(name, { ...STRATEGY, addonTemplate: { installVersion: version } })),
      },
    });
    const world = fleetAt('v1');
    for (const cluster of ['d1', 'd2']) world.cluster(cluster);
    world.choose('more', [['d1', 'd2']]);
    world.declare(entries('v1'));
    const all = [...CLUSTERS, 'd1', 'd2'];
    settle(world, all);
    govern(world);
    world.template('v2', 'hello:v2');
    world.declare(entries('v2'));
    const report = (cluster: string): 'failed' | 'arrived' | undefined =>
      world.addOn(cluster)?.status?.installVersion !== 'v2' ? 'arrived' : cluster.startsWith('c') ? 'failed' : undefined;
    settle(world, all, report);
    expect(inFlight(world, 'default/more')).toBe('d1');
    world.tick(60_000);
    settle(world, all, report);
    for (const name of ['default/all', 'default/more']) {
      expect(entryOf(world, name)).toMatchObject({ targetRevision: 1, rolledBack: { from: 2, to: 1 }, rejected: [{ revision: 2 }] });
    }
    expect(world.addOn('d1')?.status?.currentVersion).toBe('v1');
  });

  it('notifies the addresses of the policy', () => {
    const world = failedFleet({ onFailure: { action: 'RollBack' }, notify: [{ url: 'chat', on: ['Halted', 'RolledBack', 'Completed'] }] });
    world.tick(60_000);
    settle(world, CLUSTERS, v2Fails(world));
    expect(world.notified.map(({ urls, notification: { event, revision } }) => `${urls.join()} ${event} ${revision}`)).toEqual([
      'chat Halted 2',
      'chat RolledBack 2',
      'chat Completed 1',
    ]);
  });
});

describe('an analysis', () => {
  const analysis: NonNullable<RolloutPolicySpec['analysis']>[number] = {
    name: 'errors',
    provider: 'prometheus',
    query: 'errors{add_on="{{ADDON}}",revision="{{REVISION}}"}',
    interval: '1m',
    initialDelay: '2m',
    count: 2,
    inconclusiveLimit: 2,
    success: 'result < 0.1',
  };
  const groups = { rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: {} } };
  const value = (one: number): ProviderAnswer => ({ series: [{ labels: {}, value: one }] });

  function measured(answer: () => ProviderAnswer, spec: Partial<RolloutPolicySpec> = {}): World {
    const world = fleetAt('v1', groups);
    world.choose('all', [['c1'], ['c2', 'c3', 'c4']]);
    settle(world, CLUSTERS);
    govern(world, { analysis: [analysis], onFailure: { action: 'RollBack' }, ...spec });
    world.provider = answer;
    ask(world, 'v2', groups);
    settle(world, CLUSTERS);
    return world;
  }
  /** Advances the time until no recheck is due, but by at most an hour. */
  function elapse(world: World, minutes = 60): void {
    for (let i = 0; i < minutes; i++) {
      world.tick(60_000);
      settle(world, CLUSTERS);
    }
  }

  it('holds later groups and the end until `count` measurements passed', () => {
    const asked: string[] = [];
    const world = measured(() => value(0.01));
    const { provider } = world;
    world.provider = (request) => {
      asked.push(`${request.group} ${request.look} ${request.query}`);
      return provider(request, undefined);
    };
    expect([versions(world), world.recheckMs]).toEqual(['v2,v1,v1,v1', expect.any(Number)]);
    expect(world.pass(0)).toEqual([]);
    elapse(world, 1);
    expect([versions(world), asked]).toEqual(['v2,v1,v1,v1', []]);
    elapse(world, 2);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', 'Progressing']);
    elapse(world, 4);
    expect([entryOf(world).state, entryOf(world).waitingFor]).toEqual(['Completed', undefined]);
    expect(new Set(asked)).toEqual(new Set(['0 0', '0 1', '1 0', '1 1'].map((one) => `${one} errors{add_on="hello",revision="2"}`)));
    expect(world.counted.reduce((sum, { passed }) => sum + passed, 0)).toBe(4);
    expect(world.pass(0)).toEqual([]);
  });

  it('that fails goes back at once, and starts over after a Retried decision', () => {
    let errors = 0.5;
    const world = measured(() => value(errors));
    elapse(world, 3);
    expect([versions(world), entryOf(world).targetRevision]).toEqual(['v1,v1,v1,v1', 1]);
    expect(entryOf(world).rejected).toMatchObject([{ revision: 2, gate: 'p/errors', reason: expect.stringContaining('0.5') }]);
    elapse(world, 10);
    expect(entryOf(world).state).toBe('Completed');
    errors = 0;
    retry(world, 2, 'p/errors');
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v1,v1,v1');
    elapse(world, 10);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', 'Completed']);
  });

  it('that fails without RollBack halts', () => {
    const world = measured(() => value(0.5), { onFailure: { action: 'Halt' } });
    elapse(world, 5);
    expect([versions(world), entryOf(world).state, entryOf(world).message]).toEqual([
      'v2,v1,v1,v1',
      'Halted',
      expect.stringContaining('0.5: result < 0.1 does not hold'),
    ]);
  });

  it('whose provider does not respond halts as inconclusive, and does not roll back', () => {
    const world = measured(() => ({ problem: 'away' }));
    elapse(world, 30);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v1,v1,v1', 'Halted']);
    expect(entryOf(world).message).toContain('2 measurements were inconclusive, the limit is 2: away');
    expect([entryOf(world).rejected, world.pass(0)]).toEqual([undefined, []]);
  });

  it('is measured once per due time by one process, and again by the next leader', () => {
    let asked = 0;
    const world = measured(() => {
      asked++;
      return value(0.01);
    });
    world.tick(121_000);
    // Stop the process after it has sent the query and before it records the answer.
    world.pass(0);
    expect(asked).toBeGreaterThan(0);
    world.crash(0);
    elapse(world, 8);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', 'Completed']);
    expect(entryOf(world).analysis).toMatchObject([
      { group: '1', passed: 2, failed: 0, inconclusive: 0 },
      { group: '0', passed: 2, failed: 0, inconclusive: 0 },
    ]);
  });

  it('compares each cluster with its value at its own admission, also after its move has ended', () => {
    const world = fleetAt('v1');
    govern(world, { analysis: [{ ...analysis, clusterFrom: 'cluster', compare: { worse: 'Higher', tolerance: '0.1' } }] });
    const compared: Record<string, string>[] = [];
    world.provider = (request, at) => {
      if (at !== undefined) compared.push(Object.fromEntries(Object.entries(request.comparedAt).map(([name, ms]) => [name, toTime(ms)])));
      return { series: CLUSTERS.map((cluster) => ({ labels: { cluster }, value: 0.01 })) };
    };
    ask(world, 'v2');
    const admittedAt: Record<string, string> = {};
    for (let round = 0; round < 40; round++) {
      world.pass(0);
      for (const one of entryOf(world).inFlight ?? []) if (one.revision === 2) admittedAt[one.cluster] = one.admittedAt;
      for (const cluster of CLUSTERS) {
        world.addOnPass(cluster);
        if (round % 2 === 1 && !isDone(world, cluster)) world.report(cluster, 'arrived');
      }
      world.tick(20_000);
    }
    expect(new Set(Object.values(admittedAt)).size).toBe(CLUSTERS.length);
    expect(compared.length).toBeGreaterThan(CLUSTERS.length);
    for (const times of compared) expect(times).toEqual(admittedAt);
  });

  describe('goes back, rejects and lets a fixed version through, wherever the leader dies', () => {
    /** Runs the whole scenario with a manager that stops after this many writes. A new manager, without in-memory state, continues. */
    const story = (diesAfter: number): { readonly world: World; readonly writes: number } => {
      const world = fleetAt('v1', groups);
      world.choose('all', [['c1'], ['c2', 'c3', 'c4']]);
      settle(world, CLUSTERS);
      govern(world, { analysis: [analysis], onFailure: { action: 'RollBack' } });
      let writes = 0;
      const run = (): void => {
        for (let round = 0; round < 60; round++) {
          const before = world.hub.revision;
          const left = diesAfter - writes;
          const done = world.pass(0, () => true, left > 0 ? left : Number.POSITIVE_INFINITY).length;
          writes += done;
          for (const cluster of CLUSTERS) {
            world.addOnPass(cluster);
            if (!isDone(world, cluster)) world.report(cluster, 'arrived');
          }
          const isQuiet = done === 0 && world.hub.revision === before;
          if (isQuiet && world.recheckMs === undefined) return;
          world.tick(Math.max(1_100, isQuiet ? (world.recheckMs ?? 0) : 0));
        }
        throw new Error('does not settle');
      };
      world.provider = () => value(0.5);
      ask(world, 'v2', groups);
      run();
      world.provider = () => value(0.01);
      ask(world, 'v3', groups);
      run();
      return { world, writes };
    };
    const { writes } = story(Number.POSITIVE_INFINITY);
    it.each(Array.from({ length: writes }, (_, i) => i + 1))('after write %i', (diesAfter) => {
      const { world } = story(diesAfter);
      const rolledBack = (entryOf(world).timeline ?? []).filter(({ cause }) => cause === 'Automatic').length;
      expect([versions(world), entryOf(world).state, entryOf(world).rejected?.length, rolledBack]).toEqual([
        'v3,v3,v3,v3',
        'Completed',
        1,
        1,
      ]);
    });

    it('in a scenario with enough writes', () => {
      expect(writes).toBeGreaterThan(10);
    });
  });

  it('with strategy All goes back at once for all clusters', () => {
    const world = fleetAt('v1', {});
    govern(world, { analysis: [analysis], onFailure: { action: 'RollBack' } });
    world.provider = () => value(0.5);
    ask(world, 'v2', {});
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', 'Progressing']);
    elapse(world, 4);
    expect([versions(world), entryOf(world).state, inFlight(world)]).toEqual(['v1,v1,v1,v1', 'Completed', '*']);
  });
});
