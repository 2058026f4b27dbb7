import { type Placement, placementDecisions, placements } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import type { World } from '../../../testing/fleet/world.js';
import { condition, entryOf, fleetOf, inFlight, progressReason, progressive, settle } from './fixtures.js';

const GROUPS = [['c1'], ['c2', 'c3'], ['c4', 'c5']] as const;
const CLUSTERS = GROUPS.flat();
const PLACEMENT = { namespace: 'default', name: 'all' };

const perGroup = { rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: {} } };
const oneGroupFirst = progressive({ maxConcurrency: 2, mandatoryDecisionGroups: [{ groupIndex: 0 }] });

function settledFleet(entry: object): World {
  const world = fleetOf(CLUSTERS, entry);
  choose(world);
  settle(world, CLUSTERS);
  return world;
}

/** Makes the Placement select the clusters, with at most two in a decision group. */
function choose(world: World): void {
  world.choose('all', GROUPS);
  const placement = world.hub.get(placements, PLACEMENT);
  world.hub.put(placements, { ...placement, spec: { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 2 } } } } as Placement);
}

function passes(world: World): void {
  for (let i = 0; i < 3; i++) {
    world.pass(0);
    world.tick(1100);
  }
}

const forgetGroup = (world: World, index: number): void =>
  world.hub.remove(placementDecisions, { namespace: 'default', name: `all-decision-${index}` });
const forgetPlacement = (world: World): void => world.hub.remove(placements, PLACEMENT);

describe('AT-36, AT-38 while the clusters of an entry are not known', () => {
  it.each([
    {
      name: 'the decisions of a mandatory group are missing',
      entry: oneGroupFirst,
      forget: (world: World) => forgetGroup(world, 0),
      next: 'c1',
    },
    { name: 'the decisions of the first group are missing', entry: perGroup, forget: (world: World) => forgetGroup(world, 0), next: 'c1' },
    { name: 'the Placement is gone, and with it the size of a group', entry: progressive({}), forget: forgetPlacement, next: 'c1,c2' },
  ])('no cluster is admitted ahead of its turn: $name', ({ entry, forget, next }) => {
    const world = settledFleet(entry);
    forget(world);
    world.template('v2', 'hello:2');
    passes(world);
    expect([inFlight(world), entryOf(world).state]).toEqual(['', 'Progressing']);
    expect(entryOf(world).message).toContain(`; no cluster is admitted: ${condition(world, 'TargetsResolved')?.message}`);
    choose(world);
    passes(world);
    expect([inFlight(world), entryOf(world).message?.includes('no cluster is admitted')]).toEqual([next, false]);
  });

  it('a failed cluster whose decision is missing still halts the rollout', () => {
    const world = settledFleet(progressive({ maxConcurrency: 1 }));
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS, () => 'failed');
    expect(entryOf(world).state).toBe('Halted');
    forgetGroup(world, 0);
    passes(world);
    expect(inFlight(world)).toBe('');
  });

  const isFirst = (cluster: string): 'arrived' | undefined => (cluster === 'c1' ? 'arrived' : undefined);

  /** A fleet whose first cluster has v2, and whose other clusters are missing in the decisions. */
  function halfMoved(entry: object): World {
    const world = settledFleet(entry);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS, isFirst);
    forgetGroup(world, 1);
    forgetGroup(world, 2);
    settle(world, CLUSTERS, isFirst);
    return world;
  }

  it.each([
    { name: 'Progressive', entry: progressive({ maxConcurrency: 1 }) },
    { name: 'All', entry: {} },
  ])('$name: no target completes, because clusters that do not have it may be missing', ({ entry }) => {
    const world = halfMoved(entry);
    expect(entryOf(world)).toMatchObject({ state: 'Progressing', selected: 1, done: 1, targetRevision: 2, completedRevision: 1 });
    expect([entryOf(world).timeline?.[0]?.outcome, progressReason(world)]).toEqual([undefined, 'Progressing']);
    choose(world);
    settle(world, CLUSTERS);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', selected: 5, done: 5, completedRevision: 2 });
    expect(progressReason(world)).toBe('Completed');
  });

  it('nor does a target that is left', () => {
    const world = halfMoved(progressive({ maxConcurrency: 1 }));
    world.template('v3', 'hello:3');
    passes(world);
    expect(entryOf(world)).toMatchObject({ targetRevision: 3, completedRevision: 1 });
    expect(entryOf(world).timeline?.map(({ outcome }) => outcome)).toEqual([undefined, 'Superseded', 'Completed']);
  });

  it('a rollout that has completed stays complete', () => {
    const world = settledFleet(progressive({ maxConcurrency: 1 }));
    forgetPlacement(world);
    passes(world);
    expect(entryOf(world)).toMatchObject({ state: 'Completed', completedRevision: 1 });
    expect(progressReason(world)).toBe('Completed');
  });

  it('a way back does not wait, and keeps its budget without the Placement', () => {
    const world = settledFleet(progressive({}));
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    forgetPlacement(world);
    world.ask({ pinnedRevision: 1 });
    passes(world);
    expect(inFlight(world)).toBe('c1,c2');
  });

  it('strategy All, which has neither order nor budget, does not wait', () => {
    const world = settledFleet({});
    forgetPlacement(world);
    world.template('v2', 'hello:2');
    passes(world);
    expect([inFlight(world), entryOf(world).targetRevision]).toEqual(['*', 2]);
  });
});
