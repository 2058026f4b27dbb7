import { toTime } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ONE_BY_ONE, observedCluster } from '../../../testing/index.js';
import { decideStep, type StepDecision } from '../decide.js';
import type { ObservedCluster, StepInput } from '../input.js';
import type { GateAnswer, GatedGroup } from './gates.js';
import { slotsTaken } from '../phase.js';
import { amountOf, type Strategy } from '../../strategy/rollout-strategy.js';
import { isWayBack } from '../timeline/way-back.js';

const NOW = { wall: 1_000_000, time: toTime(1_000_000) };
const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

type Condition = 'new' | 'old' | 'moving' | 'done' | 'failed' | 'away';

function observed(cluster: string, condition: Condition): ObservedCluster {
  const isMoving = condition === 'moving';
  return observedCluster(cluster, {
    report: {
      atTarget: condition === 'done' || condition === 'failed' || isMoving,
      isDone: condition === 'done',
      hasFailed: condition === 'failed',
    },
    isUnreachable: condition === 'away',
    admission: isMoving
      ? { revision: 2, admittedAt: NOW.time, since: NOW.wall, unhealthyBefore: false, parkedSince: undefined }
      : undefined,
    isNew: condition === 'new',
    movingSince: NOW.wall,
  });
}

function answer(held: ReadonlySet<string>, closed: ReadonlySet<string>): GateAnswer {
  const waitingFor = held.size === 0 ? [] : [{ kind: 'Window' as const, name: 'p/freeze', clusters: held.size }];
  const open = { openedGates: [], analysis: [], measurements: [], failure: undefined, recheckAt: undefined };
  return { held, holdsEnd: false, mayInstall: (cluster) => !closed.has(cluster), waitingFor, ...open };
}

const strategies: fc.Arbitrary<Strategy> = fc.record({
  type: fc.constantFrom('All', 'Progressive', 'ProgressivePerGroup'),
  minSuccessMs: fc.constant(0),
  progressDeadlineMs: fc.constant(undefined),
  maxFailures: fc.constantFrom({ count: 0 }, { count: 2 }),
  maxConcurrency: fc.constantFrom({ count: 1 }, { count: 3 }),
  mandatoryGroups: fc.constantFrom([], [{ groupIndex: 1 }]),
});

interface Situation {
  readonly strategy: Strategy;
  readonly conditions: readonly Condition[];
  readonly held: ReadonlySet<string>;
  /** The clusters on which gates prevent the installation. */
  readonly closed: ReadonlySet<string>;
  readonly isPaused: boolean;
  readonly hasOtherCompleted: boolean;
}

const situations: fc.Arbitrary<Situation> = fc.record({
  strategy: strategies,
  conditions: fc.array(fc.constantFrom<Condition>('new', 'old', 'old', 'moving', 'done', 'failed', 'away'), { minLength: 6, maxLength: 6 }),
  held: fc.subarray(CLUSTERS).map((names) => new Set(names)),
  closed: fc.subarray(CLUSTERS).map((names) => new Set(names)),
  isPaused: fc.boolean(),
  hasOtherCompleted: fc.boolean(),
});

/** Runs the same step with and without gates. */
function both({ strategy, conditions, held, closed, isPaused, hasOtherCompleted }: Situation): {
  readonly free: StepDecision;
  readonly gated: StepDecision;
  readonly asked: readonly GatedGroup[];
} {
  const clusters = CLUSTERS.map((cluster, i) => observed(cluster, conditions[i] ?? 'old'));
  const state: StepInput = {
    strategy,
    groups: [
      { index: 0, name: 'canary', clusters: clusters.slice(0, 2) },
      { index: 1, name: '', clusters: clusters.slice(2, 4) },
      { index: 2, name: 'last', clusters: clusters.slice(4) },
    ],
    wildcard: undefined,
    hasCompleted: false,
    clustersPerGroup: 2,
    isPaused,
    keepsFailed: false,
  };
  let asked: readonly GatedGroup[] = [];
  const gates = (groups: readonly GatedGroup[]): GateAnswer => {
    asked = groups;
    const waiting = groups.flatMap((group) => group.clusters.map(({ cluster }) => cluster));
    return answer(new Set(waiting.filter((cluster) => held.has(cluster))), closed);
  };
  return { free: decideStep(state, NOW), gated: decideStep({ ...state, gates, hasOtherCompleted }, NOW), asked };
}

/** The clusters that a decision admits to the target now. */
function admittedBy(decision: StepDecision): readonly string[] {
  const waiting = decision.groups.flatMap((group) => group.waiting.map(({ cluster }) => cluster));
  return decision.admitted.includes('*') ? waiting.filter((cluster) => !decision.except.includes(cluster)) : decision.admitted;
}

describe('gates', () => {
  it('only withhold: no held cluster is admitted, and no more clusters than without gates', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { free, gated } = both(situation);
        const admitted = admittedBy(gated);
        expect(admitted.filter((cluster) => situation.held.has(cluster))).toEqual([]);
        expect(admitted.length).toBeLessThanOrEqual(admittedBy(free).length);
        expect(gated.hold).toBe(free.hold);
        // Gates never open another group: each admitted cluster is in a group from which the step without gates admits clusters too.
        const groupOf = (cluster: string): number =>
          free.groups.findIndex((group) => group.clusters.some((one) => one.cluster === cluster));
        const open = new Set(admittedBy(free).map(groupOf));
        const { type } = situation.strategy;
        if (type === 'ProgressivePerGroup') for (const cluster of admitted) expect(open.has(groupOf(cluster))).toBe(true);
        if (
          type === 'Progressive' &&
          situation.strategy.mandatoryGroups.length === 0 &&
          admitted.length > 0 &&
          situation.strategy.maxConcurrency
        ) {
          expect(slotsTaken(gated.counts)).toBeLessThanOrEqual(amountOf(situation.strategy.maxConcurrency, CLUSTERS.length));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('let a cluster move to a new target without a slot only if the record says that it is parked', () => {
    const retarget = { revision: 2, admittedAt: NOW.time, since: NOW.wall, unhealthyBefore: false, parkedSince: undefined };
    const onItsWay = (cluster: string, isUnreachable: boolean): ObservedCluster => ({
      ...observed(cluster, 'old'),
      isElsewhere: true,
      retarget,
      isUnreachable,
    });
    const step = (isUnreachable: boolean): StepDecision =>
      decideStep(
        {
          strategy: ONE_BY_ONE,
          groups: [{ index: 0, name: '', clusters: [onItsWay('c1', isUnreachable), observed('c2', 'old')] }],
          wildcard: undefined,
          hasCompleted: false,
          clustersPerGroup: 2,
          isPaused: false,
          keepsFailed: false,
          gates: () => answer(new Set(), new Set()),
        },
        NOW,
      );
    const recorded = ({ inFlight }: StepDecision): readonly string[] =>
      Array.from(inFlight, ([cluster, { parkedSince }]) => `${cluster} ${parkedSince === undefined ? 'moves' : 'is parked'}`);
    expect(recorded(step(false))).toEqual(['c1 moves']);
    expect(recorded(step(true))).toEqual(['c1 is parked', 'c2 moves']);
  });

  it('give joining clusters the completed revision within the budget, in a step that admits no cluster to the target', () => {
    let joined = 0;
    fc.assert(
      fc.property(situations, (situation) => {
        const { type, maxConcurrency, mandatoryGroups } = situation.strategy;
        const { gated } = both({ ...situation, hasOtherCompleted: true });
        if (type === 'All' || gated.joiners.length === 0) return;
        joined++;
        expect(gated.admitted).toEqual([]);
        if (type !== 'Progressive' || mandatoryGroups.length > 0 || !maxConcurrency) return;
        expect(slotsTaken(gated.counts) + gated.joiners.length).toBeLessThanOrEqual(amountOf(maxConcurrency, CLUSTERS.length));
      }),
      { numRuns: 1000 },
    );
    expect(joined).toBeGreaterThan(10);
  });

  it('keep a joining cluster from its first content, also while the rollout is paused or halted', () => {
    const holds = new Set<StepDecision['hold']>();
    fc.assert(
      fc.property(situations, (situation) => {
        const { free, gated } = both({ ...situation, hasOtherCompleted: true });
        if (free.joiners.some((cluster) => situation.closed.has(cluster))) holds.add(free.hold);
        expect(gated.joiners.filter((cluster) => situation.closed.has(cluster))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    expect(holds).toEqual(new Set(['Paused', 'TooManyFailures']));
  });

  it('that hold no cluster change only the record of unreachable clusters', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { free, gated } = both({ ...situation, held: new Set(), closed: new Set() });
        expect({ ...gated, gating: undefined, except: [] }).toEqual({ ...free, gating: undefined });
      }),
    );
  });

  it('are evaluated once for every waiting cluster, by group and in the order of the rollout', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { asked, free } = both(situation);
        const waiting = free.groups.flatMap((group) => group.waiting.map(({ cluster }) => cluster)).sort();
        expect(asked.flatMap(({ clusters }) => clusters.map(({ cluster }) => cluster)).sort()).toEqual(waiting);
        const names = asked.map(({ name }) => name);
        const { type, mandatoryGroups } = situation.strategy;
        if (type === 'All') expect(names).toEqual(['rest']);
        if (type === 'Progressive') expect(names).toEqual(mandatoryGroups.length > 0 ? ['1', 'rest'] : ['rest']);
        if (type === 'ProgressivePerGroup')
          expect(names).toEqual(mandatoryGroups.length > 0 ? ['1', 'canary', 'last'] : ['canary', '1', 'last']);
      }),
    );
  });

  it('clusters that join while others are held get the last completed revision, not the target', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { gated } = both({ ...situation, hasOtherCompleted: true, isPaused: false });
        const fresh = gated.groups.flatMap((group) => group.waiting.filter(({ isNew }) => isNew).map(({ cluster }) => cluster));
        if (gated.gating?.held.size === 0) return;
        for (const cluster of fresh) expect(admittedBy(gated)).not.toContain(cluster);
        for (const cluster of gated.joiners) expect(fresh).toContain(cluster);
      }),
    );
  });
});

describe('a way back', () => {
  const change = (to: number, more: object = {}) => ({ at: '2026-01-01T00:00:00Z', to, ...more });
  const done = { outcome: 'Completed' as const };
  const entry = (...timeline: readonly ReturnType<typeof change>[]) => ({ name: 'all', targetRevision: timeline[0]?.to ?? 0, timeline });
  it.each([
    ['a target that completed before', entry(change(2, done), change(1, done)), 1, false, true],
    ['the same while the rollout continues', entry(change(1), change(2, done), change(1, done)), 1, false, true],
    ['a target that never completed', entry(change(2, done), change(1, { outcome: 'Halted' })), 1, false, false],
    ['a new target', entry(change(2, done), change(1, done)), 3, false, false],
    ['the first completion of the target itself', entry(change(2, done)), 2, false, false],
    ['a pin to a target that completed', entry(change(2, done), change(1, done)), 1, true, true],
    ['the end of a pin', entry(change(1, { cause: 'Pin', pinned: true, ...done }), change(2, done), change(1, done)), 2, false, false],
    [
      'the end of a pin while it goes on',
      entry(change(2, { cause: 'Pin' }), change(1, { cause: 'Pin', pinned: true }), change(2, done)),
      2,
      false,
      false,
    ],
    [
      'a pinned target that the declaration requests since the pin was removed',
      entry(change(1, { cause: 'Pin', pinned: false }), change(2, done), change(1, done)),
      1,
      false,
      true,
    ],
    [
      'a target that completed, after a pin that ended at a target that the declaration requested',
      entry(change(1, { cause: 'Pin', pinned: false, ...done }), change(2, done), change(1, done)),
      2,
      false,
      true,
    ],
    ['another pin', entry(change(1, { cause: 'Pin', pinned: true }), change(2, done)), 2, true, true],
  ])('%s', (_, before, target, isPinned, expected) => expect(isWayBack(before, target, isPinned)).toBe(expected));
});
