import { type RolloutPolicySpec, placements, rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import { nowAt, outcomesOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ADD_ON, World } from '../../../testing/fleet/world.js';
import { decide } from './decide.js';
import {
  contentOf,
  entryOf,
  fleetOf,
  inFlight,
  installedOn,
  isDone,
  placementEntry,
  progressReason,
  progressive,
  settle,
} from './fixtures.js';
import type { FleetState } from './state.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
const HOUR = 3_600_000;
const OUTRIGGER = 'outrigger.dev/v1alpha1';

function govern(world: World, spec: Partial<RolloutPolicySpec>, name = 'p'): void {
  const metadata = { name };
  world.hub.put(rolloutPolicies, {
    apiVersion: OUTRIGGER,
    kind: 'RolloutPolicy',
    metadata,
    spec: { addOns: { names: [ADD_ON] }, ...spec },
  } as unknown as KubeObject);
}

function ungovern(world: World, name = 'p'): void {
  world.hub.remove(rolloutPolicies, { name });
}

function approve(world: World, gate: string, revision: number, group?: string): void {
  const metadata = { name: `${gate.replace('/', '-')}-${revision}-${group ?? ''}`, creationTimestamp: toTime(world.wall) };
  const spec = { addOn: ADD_ON, entry: 'default/all', revision, gate, decision: 'Approved', by: 'alice', ...(group ? { group } : {}) };
  world.hub.put(rolloutApprovals, { apiVersion: OUTRIGGER, kind: 'RolloutApproval', metadata, spec } as unknown as KubeObject);
}

type Window = NonNullable<RolloutPolicySpec['windows']>[number];

/** A freeze from now on. */
function freeze(world: World, ms: number, rest: Partial<Window> = {}): Window {
  return { name: 'freeze', effect: 'Deny', from: toTime(world.wall - HOUR), until: toTime(world.wall + ms), ...rest };
}

function settledFleet(strategy: object = {}, labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {}): World {
  const world = fleetOf(CLUSTERS, strategy);
  for (const cluster of CLUSTERS) world.cluster(cluster, 'True', labels[cluster]);
  settle(world, CLUSTERS);
  return world;
}

const versions = (world: World, clusters = CLUSTERS): string =>
  clusters.map((cluster) => world.addOn(cluster)?.status?.currentVersion ?? '-').join();
const waits = (world: World, entry?: string): readonly string[] =>
  (entryOf(world, entry).waitingFor ?? []).map(({ kind, name, clusters }) => `${kind} ${name} ${clusters}`);
const formatOf = (world: World): readonly unknown[] => [world.rollout()?.status?.formatVersion, world.rollout()?.status?.policies];

describe('the owner of decisions', () => {
  const ownersOf = (world: World): readonly unknown[] =>
    world.hub.list(rolloutApprovals).map(({ metadata }) => (metadata.ownerReferences ?? []).map(({ kind, uid }) => [kind, uid]));

  it('is the AddOnRollout, also for a decision that a user wrote without it, with one write', () => {
    const world = settledFleet();
    govern(world, { approvals: [{ name: 'go', before: 'Rollout' }] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    approve(world, 'p/go', 2);
    const writes = world.pass(0).filter(({ id }) => id.startsWith('approval '));
    expect(writes).toHaveLength(1);
    const uid = world.rollout()?.metadata.uid;
    expect(ownersOf(world)).toEqual([[['AddOnRollout', uid]]]);
    settle(world, CLUSTERS);
    expect([versions(world), world.pass(0)]).toEqual(['v2,v2,v2,v2', []]);
    expect(ownersOf(world)).toEqual([[['AddOnRollout', uid]]]);
  });

  it('is not written without a policy', () => {
    const world = settledFleet();
    approve(world, 'p/go', 1);
    expect([world.pass(0), ownersOf(world)]).toEqual([[], [[]]]);
  });
});

describe('gates of rollout policies', () => {
  it.each([
    ['Progressive', progressive({ maxConcurrency: 2 })],
    ['All', {}],
  ])('%s: a window holds an upgrade until it opens, which is computed and costs no writes', (_, strategy) => {
    const world = settledFleet(strategy);
    govern(world, { windows: [freeze(world, 6 * HOUR)] });
    const until = world.wall + 6 * HOUR;
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect([versions(world), inFlight(world), waits(world)]).toEqual(['v1,v1,v1,v1', '', ['Window p/freeze 4']]);
    expect(entryOf(world)).toMatchObject({ state: 'Progressing', progressing: 0, waitingFor: [{ until: toTime(until) }] });
    expect(entryOf(world).message).toContain('waits for p/freeze: closed for 4 clusters until');
    expect(formatOf(world)).toEqual([2, ['p']]);
    expect(world.pass(0)).toEqual([]);
    expect(Math.abs((world.recheckMs ?? 0) - (until - world.wall))).toBeLessThanOrEqual(1000);
    world.tick(until - world.wall);
    settle(world, CLUSTERS);
    expect([versions(world), waits(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', [], 'Completed']);
  });

  it('All: the wildcard leaves out the clusters that a window holds; they follow by name with a deadline of their own', () => {
    const deadline = { rolloutStrategy: { type: 'All', all: { progressDeadline: '30m' } } };
    const world = settledFleet(deadline, { c3: { stage: 'prod' }, c4: { stage: 'prod' } });
    const before = contentOf(world, 'c3');
    govern(world, { windows: [freeze(world, 6 * HOUR, { clusters: { matchLabels: { stage: 'prod' } } })] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v2,v1,v1');
    expect(contentOf(world, 'c3')).toEqual(before);
    expect(entryOf(world).inFlight).toMatchObject([{ cluster: '*', except: ['c3', 'c4'] }]);
    expect(entryOf(world).completedRevision).toBe(1);
    world.tick(6 * HOUR);
    world.pass(0);
    expect(entryOf(world).inFlight).toMatchObject([{ cluster: '*' }, { cluster: 'c3' }, { cluster: 'c4' }]);
    expect(entryOf(world).inFlight?.[0]).not.toHaveProperty('except');
    world.tick(20 * 60_000);
    world.pass(0);
    expect([entryOf(world).state, entryOf(world).failed]).toEqual(['Progressing', 0]);
    settle(world, CLUSTERS);
    expect([versions(world), inFlight(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', '*', 'Completed']);
  });

  it('a cluster in flight to an earlier target that a window holds is parked while it is unreachable', () => {
    const world = settledFleet(progressive({ maxConcurrency: 1 }), { c1: { stage: 'prod' } });
    world.template('v2', 'hello:2');
    world.pass(0);
    world.tick(1_100);
    world.pass(0);
    expect(inFlight(world)).toBe('c1');
    govern(world, { windows: [freeze(world, 6 * HOUR, { clusters: { matchLabels: { stage: 'prod' } } })] });
    world.cluster('c1', 'Unknown', { stage: 'prod' });
    world.template('v3', 'hello:3');
    settle(world, ['c2', 'c3', 'c4']);
    expect(versions(world, ['c2', 'c3', 'c4'])).toBe('v1,v1,v1');
    expect(world.recheckMs).toBeLessThanOrEqual(600_000);
    world.tick(600_000);
    settle(world, ['c2', 'c3', 'c4']);
    expect(versions(world, ['c2', 'c3', 'c4'])).toBe('v3,v3,v3');
    expect(waits(world)).toEqual(['Window p/freeze 1']);
    world.cluster('c1', 'True', { stage: 'prod' });
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v3,v3,v3');
    world.tick(6 * HOUR);
    settle(world, CLUSTERS);
    expect([versions(world), inFlight(world), entryOf(world).state]).toEqual(['v3,v3,v3,v3', '', 'Completed']);
  });

  it('All: an unreachable cluster is admitted when it is reachable again and no gate holds it', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { clusters: { matchLabels: { stage: 'prod' } } })] });
    world.cluster('c4', 'Unknown', { stage: 'prod' });
    world.template('v2', 'hello:2');
    settle(world, ['c1', 'c2', 'c3']);
    expect([versions(world), entryOf(world).skipped]).toEqual(['v2,v2,v2,v1', 1]);
    world.cluster('c4', 'True', { stage: 'prod' });
    settle(world, CLUSTERS);
    expect([versions(world), waits(world)]).toEqual(['v2,v2,v2,v1', ['Window p/freeze 1']]);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v2,v2,v2');
  });

  it('Progressive: held clusters take no slot, and others continue', () => {
    const world = settledFleet(progressive({ maxConcurrency: 1 }), { c1: { stage: 'prod' } });
    govern(world, { windows: [freeze(world, HOUR, { clusters: { matchLabels: { stage: 'prod' } } })] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).state]).toEqual(['v1,v2,v2,v2', 'Progressing']);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).state]).toEqual(['v2,v2,v2,v2', 'Completed']);
  });

  it('ProgressivePerGroup: later groups wait for an approval, which counts for its revision only', () => {
    const world = new World();
    for (const cluster of CLUSTERS) world.cluster(cluster);
    world.template('v1', 'hello:1');
    world.choose('all', [
      ['c1', 'c2'],
      ['c3', 'c4'],
    ]);
    const rolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: {} };
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', { rolloutStrategy })] } });
    world.start();
    settle(world, CLUSTERS);
    govern(world, { approvals: [{ name: 'go', before: 'Group', groups: [{ groupIndex: 1 }], required: 1 }] });
    for (const [revision, version] of [
      [2, 'v2'],
      [3, 'v3'],
    ] as const) {
      world.template(version, `hello:${version}`);
      settle(world, CLUSTERS);
      expect([versions(world, ['c1', 'c2']), waits(world)]).toEqual([`${version},${version}`, ['Approval p/go 2']]);
      expect(versions(world, ['c3'])).not.toBe(version);
      approve(world, 'p/go', revision, '1');
      settle(world, CLUSTERS);
      expect([versions(world, ['c3', 'c4']), waits(world)]).toEqual([`${version},${version}`, []]);
    }
  });

  it('an approval after the rollout holds its end, also in the status of the declaration', () => {
    const world = settledFleet();
    govern(world, { approvals: [{ name: 'checked', after: 'Rollout', required: 1 }] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect([versions(world), entryOf(world).state, entryOf(world).completedRevision]).toEqual(['v2,v2,v2,v2', 'Progressing', 1]);
    expect([entryOf(world).timeline?.[0]?.outcome, progressReason(world)]).toEqual([undefined, 'Progressing']);
    world.ask({ paused: true });
    settle(world, CLUSTERS);
    expect([entryOf(world).state, progressReason(world)]).toEqual(['Paused', 'Progressing']);
    world.ask({ paused: false });
    approve(world, 'p/checked', 2);
    settle(world, CLUSTERS);
    expect([entryOf(world).state, entryOf(world).timeline?.[0]?.outcome, progressReason(world)]).toEqual([
      'Completed',
      'Completed',
      'Completed',
    ]);
  });

  it.each([
    ['Progressive', progressive({ maxConcurrency: 2 })],
    ['All', {}],
  ])('%s: no gate holds a rollback, but gates hold the move after its pin is removed', (_, strategy) => {
    const world = settledFleet(strategy);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    govern(world, { windows: [freeze(world, HOUR)], approvals: [{ name: 'go', before: 'Rollout', required: 1 }] });
    world.ask({ pinnedRevision: 1 });
    settle(world, CLUSTERS);
    expect([versions(world), waits(world)]).toEqual(['v1,v1,v1,v1', []]);
    world.ask({ pinnedRevision: undefined });
    settle(world, CLUSTERS);
    expect([versions(world), waits(world)]).toEqual(['v1,v1,v1,v1', ['Window p/freeze 4', 'Approval p/go 4']]);
    approve(world, 'p/go', 2);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v2,v2,v2');
  });

  it.each([
    ['Progressive', progressive({ maxConcurrency: 2 })],
    ['All', {}],
  ])('%s: a cluster that joins while others are held gets the last completed revision, if it may be installed', (_, strategy) => {
    const world = settledFleet(strategy);
    govern(world, { windows: [freeze(world, HOUR)] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    world.cluster('c5');
    world.choose('all', [[...CLUSTERS, 'c5']]);
    settle(world, [...CLUSTERS, 'c5']);
    expect(versions(world, [...CLUSTERS, 'c5'])).toBe('v1,v1,v1,v1,v1');
    govern(world, { windows: [freeze(world, HOUR, { for: ['Upgrade', 'Install'] })] });
    world.cluster('c6');
    world.choose('all', [[...CLUSTERS, 'c5', 'c6']]);
    settle(world, [...CLUSTERS, 'c5', 'c6']);
    expect(versions(world, ['c6'])).toBe('-');
    world.tick(HOUR);
    settle(world, [...CLUSTERS, 'c5', 'c6']);
    expect(versions(world, [...CLUSTERS, 'c5', 'c6'])).toBe('v2,v2,v2,v2,v2,v2');
  });

  it('All: a window for installations holds a cluster that joins a fleet at rest', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: ['Install'] })] });
    settle(world, CLUSTERS);
    world.cluster('c5');
    world.choose('all', [[...CLUSTERS, 'c5']]);
    settle(world, [...CLUSTERS, 'c5']);
    expect([versions(world, [...CLUSTERS, 'c5']), waits(world)]).toEqual(['v1,v1,v1,v1,-', ['Window p/freeze 1']]);
    world.tick(HOUR);
    settle(world, [...CLUSTERS, 'c5']);
    expect([versions(world, [...CLUSTERS, 'c5']), waits(world)]).toEqual(['v1,v1,v1,v1,v1', []]);
  });

  describe.each([
    {
      gate: 'a window',
      spec: (world: World) => ({ windows: [freeze(world, HOUR, { for: ['Install', 'Upgrade'] })] }),
      open: (world: World) => world.tick(HOUR),
    },
    {
      gate: 'an approval of the rollout',
      spec: () => ({ approvals: [{ name: 'go', before: 'Rollout' as const }] }),
      open: (world: World) => approve(world, 'p/go', entryOf(world).targetRevision ?? 0),
    },
    {
      gate: 'an approval of the group',
      spec: () => ({ approvals: [{ name: 'go', before: 'Group' as const }] }),
      open: (world: World) => approve(world, 'p/go', entryOf(world).targetRevision ?? 0, 'rest'),
    },
  ])('All: $gate that appears in the second after a write of the record', ({ spec, open }) => {
    const ALL = [...CLUSTERS, 'c5', 'c6'];

    /**
     * A world in which the record was written a moment ago, so the next write of it must wait. The record admits every cluster, and lists
     * no gates.
     */
    function justRecorded(): World {
      const world = settledFleet();
      const listed = [...CLUSTERS, 'c5'];
      for (const cluster of ['c5', 'c6']) world.cluster(cluster);
      world.choose('all', [listed]);
      world.pass(0);
      expect([entryOf(world).members, inFlight(world), formatOf(world)]).toEqual([listed, '*', [1, undefined]]);
      return world;
    }

    it.each([1, 30, 500, 999])('holds a cluster that joins after it, with %i ms to go', (leftMs) => {
      const world = justRecorded();
      world.tick(1000 - leftMs);
      govern(world, spec(world));
      world.choose('all', [ALL]);
      world.pass(0);
      world.addOnPass('c6');
      expect([formatOf(world), contentOf(world, 'c6').desired]).toEqual([[1, undefined], undefined]);
      expect(world.recheckMs).toBe(leftMs);
      settle(world, ALL);
      expect([installedOn(world, ['c6']), versions(world, ALL)]).toEqual(['c6', 'v1,v1,v1,v1,v1,-']);
      expect(entryOf(world).inFlight).toMatchObject([{ cluster: '*', except: ['c6'] }]);
      open(world);
      settle(world, ALL);
      expect([versions(world, ALL), waits(world)]).toEqual(['v1,v1,v1,v1,v1,v1', []]);
    });

    it('gives a cluster that joins no content while the caches of add-ons are ahead of the cache of the record', () => {
      const world = justRecorded();
      govern(world, spec(world));
      world.choose('all', [ALL]);
      world.tick(1000);
      world.pass(0);
      expect(formatOf(world)).toEqual([2, ['p']]);
      world.addOnPass('c6', (plural) => plural !== 'addonrollouts');
      expect(contentOf(world, 'c6').desired).toBeUndefined();
    });

    it('leaves a cluster its content that joined before it and that the record does not list yet', () => {
      const world = justRecorded();
      world.choose('all', [ALL]);
      world.pass(0);
      world.addOnPass('c6');
      const given = contentOf(world, 'c6');
      expect(given.desired).toBeDefined();
      govern(world, spec(world));
      settle(world, ALL);
      expect([contentOf(world, 'c6').desired, versions(world, ALL)]).toEqual([given.desired, 'v1,v1,v1,v1,v1,v1']);
      expect(entryOf(world).inFlight?.flatMap(({ except = [] }) => except)).toEqual([]);
      expect(entryOf(world).members).toEqual(ALL);
    });
  });

  describe.each([
    { strategy: 'All', next: { rolloutStrategy: { type: 'All' } } },
    { strategy: 'Progressive', next: progressive({ maxConcurrency: 4 }) },
    { strategy: 'ProgressivePerGroup', next: { rolloutStrategy: { type: 'ProgressivePerGroup' } } },
  ])('a wildcard admission that $strategy replaces with a new target', ({ next }) => {
    const declare = (world: World, version: string, strategy: object): void => {
      const all = placementEntry('all', { addonTemplate: { installVersion: version }, ...strategy });
      const some = placementEntry('some', { addonTemplate: { installVersion: 'v1' } });
      world.declare({ installStrategy: { type: 'Placements', placements: [all, some] } });
    };

    /** The entry `all` has a wildcard admission to v2 for c1 to c3; c4 has v1 from the entry `some`. */
    function twoEntries(): World {
      const world = fleetOf(CLUSTERS);
      for (const version of ['v2', 'v3']) world.template(version, `hello:${version}`);
      world.choose('some', [['c4']]);
      declare(world, 'v2', {});
      settle(world, CLUSTERS);
      expect([versions(world), inFlight(world)]).toEqual(['v2,v2,v2,v1', '*']);
      return world;
    }

    it.each([
      {
        gate: 'a window',
        spec: (world: World) => ({ windows: [freeze(world, HOUR)] }),
        open: (world: World) => world.tick(HOUR),
      },
      {
        gate: 'an approval',
        spec: () => ({ approvals: [{ name: 'go', before: 'Rollout' as const }] }),
        open: (world: World) => approve(world, 'p/go', entryOf(world).targetRevision ?? 0),
      },
    ])('does not cover a cluster that comes from another entry while $gate holds it', ({ spec, open }) => {
      const world = twoEntries();
      const before = contentOf(world, 'c4');
      govern(world, spec(world));
      declare(world, 'v3', next);
      world.choose('some', [[]]);
      settle(world, CLUSTERS);
      expect([versions(world), contentOf(world, 'c4')]).toEqual(['v2,v2,v2,v1', before]);
      open(world);
      settle(world, CLUSTERS);
      expect(versions(world)).toBe('v3,v3,v3,v3');
    });

    it('does not cover a cluster that joins while a window for installations holds it', () => {
      const world = twoEntries();
      govern(world, { windows: [freeze(world, HOUR, { for: ['Install', 'Upgrade'] })] });
      settle(world, CLUSTERS);
      declare(world, 'v3', next);
      world.cluster('c5');
      world.choose('all', [[...CLUSTERS, 'c5']]);
      settle(world, [...CLUSTERS, 'c5']);
      expect(versions(world, [...CLUSTERS, 'c5'])).toBe('v2,v2,v2,v1,-');
      world.tick(HOUR);
      settle(world, [...CLUSTERS, 'c5']);
      expect(versions(world, [...CLUSTERS, 'c5'])).toBe('v3,v3,v3,v1,v3');
    });

    it('covers a cluster that joins without a policy, and the record has no exceptions', () => {
      const world = twoEntries();
      declare(world, 'v3', next);
      world.choose('some', [[]]);
      world.pass(0);
      expect(entryOf(world).inFlight?.flatMap(({ except = [] }) => except)).toEqual([]);
      settle(world, CLUSTERS);
      expect(versions(world)).toBe('v3,v3,v3,v3');
    });
  });

  it('clusters in flight continue to their target while a gate holds the next one', () => {
    const world = settledFleet(progressive({ maxConcurrency: 2 }));
    world.template('v2', 'hello:2');
    world.tick(1_100);
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    expect(inFlight(world)).toBe('c1,c2');
    govern(world, { windows: [freeze(world, HOUR)] });
    world.template('v3', 'hello:3');
    settle(world, CLUSTERS);
    expect([versions(world), waits(world)]).toEqual(['v2,v2,v1,v1', ['Window p/freeze 4']]);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v3,v3,v3,v3');
  });

  it('clusters in flight that never arrive move on when the gate opens', () => {
    const world = settledFleet(progressive({ maxConcurrency: 2, maxFailures: 4 }));
    world.template('v2', 'hello:2');
    world.tick(1_100);
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    govern(world, { windows: [freeze(world, HOUR)] });
    world.template('v3', 'hello:3');
    settle(world, CLUSTERS, () => undefined);
    expect(entryOf(world).inFlight).toMatchObject([
      { cluster: 'c1', revision: 2 },
      { cluster: 'c2', revision: 2 },
    ]);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v3,v3,v3,v3');
  });

  it('a policy that is deleted while it holds clusters opens 5 minutes later; then the record is as before', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR)] });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    ungovern(world);
    settle(world, CLUSTERS);
    expect([versions(world), formatOf(world)]).toEqual(['v1,v1,v1,v1', [2, undefined]]);
    expect(entryOf(world).waitingFor).toMatchObject([{ name: 'p/freeze', loosened: true }]);
    world.tick(5 * 60_000);
    settle(world, CLUSTERS);
    expect([versions(world), formatOf(world), waits(world)]).toEqual(['v2,v2,v2,v2', [1, undefined], []]);
  });

  it('a window for removals holds them until it opens', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: ['Remove'] })] });
    world.choose('all', [['c1', 'c2', 'c3']]);
    settle(world, CLUSTERS);
    world.tick(20_000);
    settle(world, CLUSTERS);
    expect(installedOn(world, CLUSTERS)).toBe('c1,c2,c3,c4');
    expect(world.recheckMs).toBeLessThanOrEqual(HOUR);
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(installedOn(world, CLUSTERS)).toBe('c1,c2,c3');
  });

  it('a removal that waits is in the record with its gate and its end, and the wait ends with the removal', () => {
    const world = settledFleet();
    const until = toTime(world.wall + HOUR);
    govern(world, { windows: [freeze(world, HOUR, { for: ['Remove'] })] });
    world.choose('all', [['c1', 'c2', 'c3']]);
    settle(world, CLUSTERS);
    expect(entryOf(world).waitingFor).toBeUndefined();
    world.tick(20_000);
    settle(world, CLUSTERS);
    const message = `no removal from 1 cluster until ${until}`;
    expect(entryOf(world).waitingFor).toMatchObject([
      { kind: 'Window', name: 'p/freeze', operation: 'Remove', until, clusters: 1, message },
    ]);
    const [wait] = entryOf(world).waitingFor ?? [];
    world.tick(HOUR / 2);
    expect(world.pass(0)).toEqual([]);
    // The next leader keeps the recorded wait unchanged.
    world.crash(0);
    settle(world, CLUSTERS);
    world.tick(20_000);
    settle(world, CLUSTERS);
    expect(entryOf(world).waitingFor).toEqual([wait]);
    world.tick(HOUR / 2);
    settle(world, CLUSTERS);
    expect([installedOn(world, CLUSTERS), entryOf(world).waitingFor, formatOf(world)]).toEqual(['c1,c2,c3', undefined, [2, ['p']]]);
  });

  it('removals and admissions wait for the same window independently of each other', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: ['Remove', 'Upgrade'] })] });
    world.choose('all', [['c1', 'c2', 'c3']]);
    settle(world, CLUSTERS);
    world.tick(20_000);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect(entryOf(world).waitingFor).toMatchObject([
      { name: 'p/freeze', clusters: 3 },
      { name: 'p/freeze', operation: 'Remove', clusters: 1 },
    ]);
    expect(world.pass(0)).toEqual([]);
    world.tick(HOUR);
    settle(world, ['c1', 'c2', 'c3']);
    expect([installedOn(world, CLUSTERS), entryOf(world).waitingFor]).toEqual(['c1,c2,c3', undefined]);
  });

  it.each([
    ['is removed', (world: World) => ungovern(world)],
    ['is shortened', (world: World) => govern(world, { windows: [freeze(world, -HOUR, { for: ['Remove'] })] })],
    ['no longer applies to removals', (world: World) => govern(world, { windows: [freeze(world, HOUR, { for: ['Upgrade'] })] })],
  ])('a window that %s while it holds removals opens 5 minutes later', (_, change) => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: ['Remove'] })] });
    world.choose('all', [['c1', 'c2', 'c3']]);
    settle(world, CLUSTERS);
    world.tick(20_000);
    settle(world, CLUSTERS);
    change(world);
    settle(world, CLUSTERS);
    expect(entryOf(world).waitingFor).toMatchObject([{ name: 'p/freeze', operation: 'Remove', loosened: true, clusters: 1 }]);
    world.tick(4 * 60_000);
    settle(world, CLUSTERS);
    expect(installedOn(world, CLUSTERS)).toBe('c1,c2,c3,c4');
    expect(world.recheckMs).toBeLessThanOrEqual(60_000);
    world.tick(60_000);
    settle(world, CLUSTERS);
    expect([installedOn(world, CLUSTERS), entryOf(world).waitingFor]).toEqual(['c1,c2,c3', undefined]);
  });

  it('removals of an entry that selects no cluster any more wait with the first entry', () => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: ['Remove'] })] });
    world.choose('all', [[]]);
    settle(world, CLUSTERS);
    world.ask({ confirmRemoval: 4 });
    settle(world, CLUSTERS);
    world.tick(20_000);
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ selected: 0, waitingFor: [{ operation: 'Remove', clusters: 4 }] });
  });

  it.each([
    ['opens a window for removals', 1, 'c1,c2,c3'],
    ['for another revision does not', 2, 'c1,c2,c3,c4'],
  ])('an override %s', (_, revision, installed) => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, 10 * HOUR, { for: ['Remove'] })] });
    world.choose('all', [['c1', 'c2', 'c3']]);
    settle(world, CLUSTERS);
    const metadata = { name: 'emergency', creationTimestamp: toTime(world.wall) };
    const expires = toTime(world.wall + HOUR);
    const decided = { decision: 'Overridden', by: 'alice', comment: 'now', expires };
    const spec = { addOn: ADD_ON, entry: 'default/all', revision, gate: 'p/freeze', ...decided };
    world.hub.put(rolloutApprovals, { apiVersion: OUTRIGGER, kind: 'RolloutApproval', metadata, spec } as unknown as KubeObject);
    world.tick(20_000);
    settle(world, CLUSTERS);
    expect(installedOn(world, CLUSTERS)).toBe(installed);
  });

  it.each([
    { name: 'an upgrade', operation: 'Upgrade' as const, change: (world: World) => world.template('v2', 'hello:2') },
    { name: 'a removal', operation: 'Remove' as const, change: (world: World) => world.choose('all', [CLUSTERS.slice(1)]) },
  ])('$name that waits because the clock is not trusted is decided again every minute', ({ operation, change }) => {
    const world = settledFleet();
    govern(world, { windows: [freeze(world, HOUR, { for: [operation] })] });
    change(world);
    settle(world, CLUSTERS);
    world.tick(10_000);
    world.pass(0);
    const recheckMs = (isClockTrusted: boolean): number | undefined =>
      decide({ ...(world.lastSeen as FleetState), isClockTrusted }, nowAt(world.wall, 1e9)).requeueAfterMs;
    expect(recheckMs(true)).toBeGreaterThan(HOUR / 2);
    expect(recheckMs(false)).toBe(60_000);
  });

  it('reports when a wait begins and ends, once', () => {
    const world = settledFleet();
    const events: string[] = [];
    const run = (): void => {
      for (let round = 0; round < 5; round++) {
        world.pass(1);
        const { events: sent = [] } = decide({ ...(world.lastSeen as FleetState), outcomes: outcomesOf() }, nowAt(world.wall, 1e9));
        for (const { reason, message } of sent)
          if (reason.startsWith('RolloutWait') || reason.startsWith('RolloutGate')) events.push(`${reason} ${message}`);
        for (const cluster of CLUSTERS) {
          world.addOnPass(cluster);
          if (!isDone(world, cluster)) world.report(cluster, 'arrived');
        }
        world.tick(1_100);
      }
    };
    govern(world, { windows: [freeze(world, HOUR)] });
    const until = toTime(world.wall + HOUR);
    world.template('v2', 'hello:2');
    run();
    world.tick(HOUR);
    run();
    expect(events).toEqual([
      `RolloutWaiting default/all: Window p/freeze: closed for 4 clusters until ${until}`,
      'RolloutGateOpened default/all: Window p/freeze no longer holds clusters',
    ]);
  });

  it('without a policy for the add-on, policies change nothing', () => {
    const world = settledFleet();
    govern(world, { addOns: { names: ['other'] }, windows: [freeze(world, HOUR)] });
    expect(world.pass(0)).toEqual([]);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect([versions(world), formatOf(world)]).toEqual(['v2,v2,v2,v2', [1, undefined]]);
  });

  it.each([
    { name: 'its decisions are incomplete', forget: (world: World) => world.choose('all', [[]], 1) },
    { name: 'its Placement is gone', forget: (world: World) => world.hub.remove(placements, { namespace: 'default', name: 'all' }) },
  ])('hold the last known members of an entry under a new wildcard admission while $name', ({ forget }) => {
    const world = settledFleet(progressive({ maxConcurrency: 4 }));
    govern(world, { windows: [freeze(world, HOUR)] });
    forget(world);
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all')] } });
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v1,v1,v1,v1');
    // When the clusters of the entry are known again, the window still holds them. They move when the window opens.
    world.choose('all', [CLUSTERS]);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v1,v1,v1,v1');
    world.tick(HOUR);
    settle(world, CLUSTERS);
    expect(versions(world)).toBe('v2,v2,v2,v2');
  });
});
