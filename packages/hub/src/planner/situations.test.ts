import { clusterManagementAddOns, managedClusterAddOns, rolloutPolicies } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../testing/fleet/world.js';
import { entryOf, fleetOf, placementEntry, settle } from '../controllers/fleet/fixtures.js';
import { clusterNames, declaration, entryAt, listingOf, planOf } from './fixtures.js';
import type { Plan } from './types.js';

const PER_GROUP = { type: 'ProgressivePerGroup', progressivePerGroup: {} };
const ONE_BY_ONE = { type: 'Progressive', progressive: { maxConcurrency: 1, maxFailures: 0 } };
const NAMES = clusterNames(6);
const START = Date.parse('2026-03-02T10:00:00Z');

/** A fleet at v1 for which a template of v2 exists. */
function fleetAtV1(groups: readonly (readonly string[])[] = [NAMES]): World {
  const world = fleetOf(NAMES, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: { type: 'All' } });
  settle(world, NAMES);
  world.choose('all', groups);
  settle(world, NAMES);
  world.template('v2', 'hello:2');
  return world;
}

function policy(spec: object): KubeObject {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { addOns: { names: [ADD_ON] }, ...spec },
  } as unknown as KubeObject;
}

function planV2(
  world: World,
  strategy: object,
  options: Partial<Parameters<typeof planOf>[2]> & { readonly policy?: object } = {},
): Promise<Plan> {
  const { policy: spec, ...rest } = options;
  const changed = declaration(entryAt('v2', strategy));
  return planOf(listingOf(world), spec ? [changed, policy(spec)] : [changed], { from: START, ...rest });
}

const starts = ({ entries }: Plan): readonly string[] =>
  (entries[0]?.waves ?? []).map(({ startAt, clusters }) => `${startAt} ${clusters.length}`);

describe('a plan with an analysis', () => {
  const analysis = { name: 'errors', provider: 'm', query: 'up', interval: '1m', count: 3, initialDelay: '5m', success: 'result < 0.1' };

  it('holds the next group and the end until its measurements have passed', async () => {
    const plan = await planV2(fleetAtV1([NAMES.slice(0, 2), NAMES.slice(2)]), PER_GROUP, { policy: { analysis: [analysis] } });
    const gates = plan.entries[0]?.gates ?? [];
    expect(gates.map(({ kind, name, group, clusters, certainty }) => [kind, name, group, clusters, certainty])).toEqual([
      ['Analysis', 'p/errors', '0', 4, 'assumed'],
      ['Analysis', 'p/errors', '1', 0, 'assumed'],
    ]);
    // The first group is admitted at 10:00:00; measurements follow after 5, 6 and 7 minutes.
    const [first, second] = plan.entries[0]?.waves ?? [];
    expect([first?.startAt, first?.clusters.length, second?.clusters.length]).toEqual(['2026-03-02T10:00:00Z', 2, 4]);
    const waited = Date.parse(second?.startAt ?? '') - START;
    expect(waited).toBeGreaterThanOrEqual(7 * 60_000);
    expect(waited).toBeLessThan(7 * 60_000 + 5_000);
    expect(Date.parse(plan.end?.p50 ?? '') - START).toBeGreaterThanOrEqual(14 * 60_000);
    expect(plan.entries[0]?.outcome).toBe('Completed');
  });

  it('that only observes holds nothing', async () => {
    const spec = { analysis: [{ ...analysis, mode: 'Observe' }] };
    const plan = await planV2(fleetAtV1([NAMES.slice(0, 2), NAMES.slice(2)]), PER_GROUP, { policy: spec });
    expect(plan.entries[0]?.gates).toEqual([]);
    expect(Date.parse(plan.end?.p50 ?? '') - START).toBeLessThan(5 * 60_000);
  });
});

describe('a plan with failures under a policy that rolls back', () => {
  const failing = new Set(['c0001']);

  it('turns back where the manager does, with the same clusters touched', async () => {
    const world = fleetAtV1();
    const spec = { onFailure: { action: 'RollBack' } };
    const plan = await planV2(world, ONE_BY_ONE, { policy: spec, fail: failing });
    expect(plan.failure).toMatchObject({ halted: 0, turnedBack: 200, touched: { p50: 2, p99: 2, max: 2 }, stopsIn: 'default/all 0' });

    world.hub.put(rolloutPolicies, policy(spec));
    world.declare((declaration(entryAt('v2', ONE_BY_ONE)) as unknown as { readonly spec: object }).spec);
    const isV2 = (cluster: string): boolean => world.addOn(cluster)?.status?.installVersion === 'v2';
    const outcome = (cluster: string): 'failed' | 'arrived' => (failing.has(cluster) && isV2(cluster) ? 'failed' : 'arrived');
    settle(world, NAMES, outcome);
    expect(NAMES.filter(isV2)).toEqual(['c0000', 'c0001']);
    world.tick(61_000);
    settle(world, NAMES, outcome);
    expect(entryOf(world)).toMatchObject({ targetRevision: 1, rolledBack: { from: 2, to: 1 } });
  });

  it('halts if the policy does not ask for it, or no earlier target has completed', async () => {
    const halts = await planV2(fleetAtV1(), ONE_BY_ONE, { policy: { onFailure: { action: 'Halt' } }, fail: failing });
    expect(halts.failure).toMatchObject({ halted: 200, turnedBack: 0 });
    const world = fleetOf(NAMES, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: ONE_BY_ONE });
    world.template('v2', 'hello:2');
    const plan = await planV2(world, ONE_BY_ONE, { policy: { onFailure: { action: 'RollBack' } }, fail: failing });
    expect(plan.failure).toMatchObject({ halted: 200, turnedBack: 0 });
  });

  it('does not predict a move to content that was rejected', async () => {
    const world = fleetAtV1();
    world.hub.put(rolloutPolicies, policy({ onFailure: { action: 'RollBack' } }));
    world.declare((declaration(entryAt('v2', ONE_BY_ONE)) as unknown as { readonly spec: object }).spec);
    const outcome = (cluster: string): 'failed' | 'arrived' =>
      world.addOn(cluster)?.status?.installVersion === 'v2' ? 'failed' : 'arrived';
    settle(world, NAMES, outcome);
    world.tick(61_000);
    settle(world, NAMES, outcome);
    const plan = await planV2(world, ONE_BY_ONE);
    expect(plan.entries[0]).toMatchObject({ target: { revision: 1 }, waves: [] });
    expect(plan.inTheWay.map(({ message }) => message).join()).toContain('revision 2 is rejected');
  });
});

describe('a plan with clusters that become unreachable', () => {
  it('does not wait for them longer than the time after which they are parked', async () => {
    const world = fleetAtV1();
    const calm = await planV2(world, ONE_BY_ONE);
    const rough = await planV2(world, ONE_BY_ONE, { offline: 0.5 });
    const lasts = ({ end }: Plan): number => Date.parse(end?.p50 ?? '') - START;
    expect(lasts(rough)).toBeGreaterThan(lasts(calm) + 10 * 60_000);
    expect(lasts(rough)).toBeLessThan(lasts(calm) + 6 * 11 * 60_000);
  });

  it('skips clusters that are unreachable now', async () => {
    const world = fleetAtV1();
    world.cluster('c0002', 'Unknown');
    const plan = await planV2(world, ONE_BY_ONE);
    expect(plan.entries[0]?.groups[0]).toMatchObject({ skipped: ['c0002'], moving: NAMES.filter((name) => name !== 'c0002') });
    expect(plan.entries[0]?.waves.flatMap(({ clusters }) => clusters)).not.toContain('c0002');
  });
});

describe('a plan under windows and approvals', () => {
  let world: World;
  beforeEach(() => {
    world = fleetAtV1([NAMES.slice(0, 2), NAMES.slice(2)]);
    for (const name of NAMES.slice(0, 3)) world.cluster(name, 'True', { stage: 'prod' });
  });

  it('continues after a freeze that starts during the rollout', async () => {
    const windows = [{ name: 'freeze', effect: 'Deny', from: '2026-03-02T10:00:02Z', until: '2026-03-02T14:00:00Z' }];
    const plan = await planV2(world, ONE_BY_ONE, { policy: { windows } });
    expect(starts(plan)[0]).toBe('2026-03-02T10:00:00Z 1');
    expect(starts(plan)).toContain('2026-03-02T14:00:00Z 1');
    expect(plan.entries[0]?.gates).toContainEqual(
      expect.objectContaining({ name: 'p/freeze', opensAt: '2026-03-02T14:00:00Z', certainty: 'known' }),
    );
    expect(plan.entries[0]?.waves.flatMap(({ clusters }) => clusters)).toHaveLength(6);
  });

  it('All: moves the clusters that a freeze leaves out at once, and the others when it ends', async () => {
    const clusters = { matchLabels: { stage: 'prod' } };
    const windows = [{ name: 'freeze', effect: 'Deny', from: '2026-03-01T00:00:00Z', until: '2026-03-02T14:00:00Z', clusters }];
    const plan = await planV2(world, { type: 'All' }, { policy: { windows } });
    expect(starts(plan)).toEqual(['2026-03-02T10:00:00Z 3', '2026-03-02T14:00:00Z 2', '2026-03-02T14:00:00Z 1']);
  });

  it('reports a window that never opens as an obstacle', async () => {
    const windows = [{ name: 'once', effect: 'Allow', from: '2025-03-01T00:00:00Z', until: '2025-03-02T00:00:00Z' }];
    const plan = await planV2(world, PER_GROUP, { policy: { windows } });
    expect(plan.entries[0]).toMatchObject({ outcome: 'Held', waves: [] });
    expect(plan.end).toBeUndefined();
    expect(plan.inTheWay.map(({ message }) => message).join()).toContain('p/once does not open by itself');
  });

  it('forecasts failures before a window that never opens, and none if it holds every cluster', async () => {
    const once = { name: 'once', effect: 'Allow', from: '2025-03-01T00:00:00Z', until: '2025-03-02T00:00:00Z' };
    const prod = { ...once, clusters: { matchLabels: { stage: 'prod' } } };
    const plan = await planV2(world, { type: 'All' }, { policy: { windows: [prod] }, fail: 1 });
    expect(plan.entries[0]?.outcome).toBe('Held');
    expect(plan.failure).toMatchObject({ runs: 200, touched: { p50: 3, p99: 3, max: 3 } });
    expect((await planV2(world, { type: 'All' }, { policy: { windows: [once] }, fail: 1 })).failure).toBeUndefined();
  });

  it('counts the times after an approval from it, and opens a wait by itself', async () => {
    const approvals = [
      { name: 'go', before: 'Rollout', required: 2 },
      { name: 'calm', after: 'Group', groups: [{ groupIndex: 0 }], wait: '2h' },
    ];
    const plan = await planV2(world, PER_GROUP, { policy: { approvals } });
    const [first, second] = plan.entries[0]?.waves ?? [];
    expect(first?.after).toEqual({ gate: 'p/go', seconds: 0 });
    expect(second?.after?.gate).toBe('p/go');
    expect(second?.after?.seconds).toBeGreaterThanOrEqual(2 * 3_600);
    expect(plan.entries[0]?.gates.map(({ name, certainty }) => `${name} ${certainty}`)).toEqual(['p/go unknown', 'p/calm assumed']);
  });

  it('does not hold a rollback', async () => {
    world.declare((declaration(entryAt('v2', { type: 'All' })) as unknown as { readonly spec: object }).spec);
    settle(world, NAMES);
    const windows = [{ name: 'freeze', effect: 'Deny', from: '2025-03-01T00:00:00Z', until: '2027-03-02T14:00:00Z' }];
    const back = await planOf(listingOf(world), [declaration(entryAt('v1', { type: 'All' })), policy({ windows })], { from: START });
    expect(back.entries[0]).toMatchObject({ outcome: 'Completed', gates: [], target: { revision: 1, isNew: false } });
    expect(back.entries[0]?.waves.flatMap(({ clusters }) => clusters)).toHaveLength(6);
  });
});

describe('a plan that removes', () => {
  const withoutEntries = (): KubeObject => declaration(placementEntry('other', { addonTemplate: { installVersion: 'v1' } }));

  it('names the clusters that lose the add-on, and whether the guard asks', async () => {
    const world = fleetAtV1();
    world.choose('other', [NAMES.slice(0, 5)]);
    const one = await planOf(listingOf(world), [withoutEntries()], { from: START });
    expect(one.removals).toEqual({ clusters: ['c0005'], needsConfirmation: false, of: 6, certainty: 'known' });
    world.choose('other', [[]]);
    const all = await planOf(listingOf(world), [withoutEntries()], { from: START });
    expect(all.removals).toEqual({ clusters: NAMES, needsConfirmation: true, of: 6, certainty: 'known' });
  });
});

describe('a plan with dependencies', () => {
  const requires = (type: string): KubeObject => {
    const changed = declaration(entryAt('v2', PER_GROUP)) as unknown as { readonly spec: object };
    return { ...changed, spec: { ...changed.spec, dependencies: [{ name: 'base', type }] } } as unknown as KubeObject;
  };

  it.each([
    ['Required', NAMES.slice(1)],
    ['Optional', undefined],
  ])('%s: reports the clusters on which the other add-on is missing', async (type, clusters) => {
    const world = fleetAtV1();
    const base = { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ManagedClusterAddOn' };
    world.hub.put(clusterManagementAddOns, {
      ...base,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'base' },
      spec: {},
    } as unknown as KubeObject);
    world.hub.put(managedClusterAddOns, {
      ...base,
      metadata: { name: 'base', namespace: 'c0000' },
      spec: {},
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    } as unknown as KubeObject);
    const plan = await planOf(listingOf(world), [requires(type)], { from: START });
    const found = plan.inTheWay.filter(({ message }) => message.includes('the required add-on base'));
    expect(found.map((one) => one.clusters)).toEqual(clusters === undefined ? [] : [clusters]);
  });
});

describe('a plan while clusters are in flight', () => {
  const ALL = { type: 'All' };
  const fleetInFlight = (strategy: object, outcome: 'failed' | undefined, spec: object | undefined): World => {
    const world = fleetAtV1([NAMES.slice(0, 2), NAMES.slice(2)]);
    if (spec) world.hub.put(rolloutPolicies, policy(spec));
    world.template('v3', 'hello:3');
    world.declare((declaration(entryAt('v2', strategy)) as unknown as { readonly spec: object }).spec);
    settle(world, NAMES, (cluster) => (world.addOn(cluster)?.status?.installVersion === 'v2' ? outcome : 'arrived'));
    return world;
  };
  const rows = [ALL, ONE_BY_ONE, PER_GROUP].flatMap((strategy) =>
    (['failed', undefined] as const).flatMap((outcome) =>
      (strategy === ONE_BY_ONE ? [undefined, { onFailure: { action: 'Halt' } }] : [undefined]).flatMap((spec) =>
        ['v1', 'v2', 'v3'].map((version) => ({
          strategy,
          outcome,
          spec,
          version,
          state: outcome ?? 'in flight',
          gated: spec !== undefined,
        })),
      ),
    ),
  );

  it.each(rows)(
    'has the same clusters under Who and in its waves: $strategy.type, clusters $state, policy $gated, to $version',
    async ({ strategy, outcome, spec, version }) => {
      const world = fleetInFlight(strategy, outcome, spec);
      const plan = await planOf(listingOf(world), [declaration(entryAt(version, strategy))], { from: world.wall });
      const [entry] = plan.entries;
      const who = (entry?.groups ?? []).flatMap(({ moving, fresh }) => [...moving, ...fresh]).sort();
      const when = (entry?.waves ?? []).flatMap(({ clusters }) => clusters).sort();
      expect(new Set(when).size).toBe(when.length);
      if (entry?.outcome === 'Completed') expect(when).toEqual(who);
      else expect(who).toEqual(expect.arrayContaining(when));
      for (const { startAt, endAt, clusters } of entry?.waves ?? [])
        expect({ clusters, isForward: Date.parse(endAt) >= Date.parse(startAt) }).toEqual({ clusters, isForward: true });
    },
  );

  it('names the cluster that failed as the first wave of the way back', async () => {
    const world = fleetInFlight(ONE_BY_ONE, 'failed', undefined);
    expect(entryOf(world)).toMatchObject({ state: 'Halted', failed: 1 });
    const plan = await planOf(listingOf(world), [declaration(entryAt('v1', ONE_BY_ONE))], { from: world.wall });
    expect(plan.entries[0]).toMatchObject({
      groups: [{ moving: ['c0000'] }, { moving: [] }],
      waves: [{ group: '0', clusters: ['c0000'] }],
    });
    expect(Date.parse(plan.entries[0]?.waves[0]?.endAt ?? '')).toBeGreaterThan(world.wall);
  });
});

describe('a plan for a fleet with a failed cluster that is done again', () => {
  it('continues when the cluster has been done for minSuccessTime', async () => {
    const strategy = { type: 'Progressive', progressive: { maxConcurrency: 1, maxFailures: 0, minSuccessTime: '10m' } };
    const world = fleetAtV1();
    world.declare((declaration(entryAt('v2', strategy)) as unknown as { spec: object }).spec);
    const [first = ''] = NAMES;
    settle(world, NAMES, (cluster) => (cluster === first ? 'failed' : 'arrived'));
    world.report(first, 'arrived');
    world.tick(1_000);
    world.pass(0);
    expect(entryOf(world)).toMatchObject({ state: 'Halted', failed: 1 });
    const plan = await planOf(listingOf(world), [], { from: world.wall });
    const [wave] = plan.entries[0]?.waves ?? [];
    expect(wave?.clusters.length).toBeGreaterThan(0);
    expect(Date.parse(wave?.startAt ?? '') - world.wall).toBeGreaterThan(9 * 60_000);
  });
});
