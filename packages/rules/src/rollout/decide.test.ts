import { toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ONE_BY_ONE } from '../../testing/index.js';
import { decideStep, type StepDecision } from './decide.js';
import type { Admission, ObservedCluster, StepInput, TargetReport } from './input.js';
import { placeGroup } from './phase.js';
import type { Strategy } from '../strategy/rollout-strategy.js';

const NOW = 1_000_000;
const SECOND = 1000;

/** The inputs for one cluster in a table of cases; times are on the hub's clock. */
interface Row extends TargetReport {
  readonly cluster: string;
  readonly createdAt: number;
  readonly mayMove: boolean;
  readonly doneAt: number | undefined;
  readonly availableSince: number | undefined;
  readonly unreachableSince: number | undefined;
  readonly reachableSince: number | undefined;
}

const seen = (cluster: string, change: Partial<Row> = {}): Row => ({
  cluster,
  createdAt: 0,
  isFresh: false,
  mayMove: true,
  atTarget: false,
  isDone: false,
  doneAt: undefined,
  isAvailable: change.availableSince !== undefined,
  availableSince: undefined,
  isHealthSilent: false,
  hasFailed: false,
  unreachableSince: undefined,
  reachableSince: undefined,
  ...change,
});
const done = (cluster: string, agoMs = 3600 * SECOND): Row =>
  seen(cluster, { atTarget: true, isDone: true, doneAt: NOW - agoMs, availableSince: NOW - agoMs });
const fresh = (cluster: string): Row => seen(cluster, { isFresh: true, createdAt: NOW });
const failed = (cluster: string): Row => seen(cluster, { atTarget: true, hasFailed: true });

const perGroup: Strategy = { ...ONE_BY_ONE, type: 'ProgressivePerGroup', maxConcurrency: undefined };
const all: Strategy = { ...ONE_BY_ONE, type: 'All', maxFailures: { percent: 100 }, maxConcurrency: undefined };

interface Case {
  name: string;
  strategy: Strategy;
  observations?: Row[];
  inFlight?: Record<string, number>;
  /** Clusters in flight that were not available when they were admitted. */
  unhealthy?: string[];
  parked?: string[];
  recordedUnhealthy?: string[];
  recordedTimeAlone?: string[];
  elsewhere?: string[];
  returning?: string[];
  wildcard?: number;
  hasCompleted?: boolean;
  /** The clusters that this entry selects, but that belong to a later entry that selects them too. */
  taken?: string[];
  paused?: boolean;
  /** The clusters that have the target, or may move to it, after this step. */
  set: string;
  hold?: string;
  joiners?: string;
  phases?: Record<string, string>;
}

const admission = (since: number, change: Partial<Admission> = {}): Admission => ({
  revision: 1,
  admittedAt: toTime(since),
  since,
  unhealthyBefore: false,
  parkedSince: undefined,
  ...change,
});

const failureIn = (c: Case, cluster: string): ObservedCluster['recordedFailure'] => {
  if (c.recordedTimeAlone?.includes(cluster)) return 'TimeAlone';
  return c.recordedUnhealthy?.includes(cluster) ? 'MustBeAvailable' : undefined;
};

const observed = (c: Case, cluster: string): ObservedCluster => {
  const row = c.observations?.find((candidate) => candidate.cluster === cluster) ?? fresh(cluster);
  const at = c.inFlight?.[cluster];
  const named =
    at === undefined
      ? undefined
      : admission(at, {
          unhealthyBefore: c.unhealthy?.includes(cluster) ?? false,
          ...(c.parked?.includes(cluster) ? { parkedSince: toTime(at) } : {}),
        });
  return {
    cluster,
    targetRevision: 1,
    mayMove: row.mayMove,
    report: row,
    isUnreachable: row.unreachableSince !== undefined,
    admission: named,
    isElsewhere: c.elsewhere?.includes(cluster) ?? false,
    isNew: row.isFresh,
    isReturning: c.returning?.includes(cluster) ?? false,
    recordedFailure: failureIn(c, cluster),
    soakingSince: Math.max(row.doneAt ?? NOW, row.availableSince ?? NOW),
    doneSince: row.doneAt ?? NOW,
    movingSince: c.wildcard === undefined ? (named?.since ?? NOW) : Math.max(c.wildcard, row.createdAt, row.reachableSince ?? 0),
    unreachableSince: row.unreachableSince ?? NOW,
    hasMissedWildcard: c.wildcard !== undefined && row.unreachableSince !== undefined && row.unreachableSince <= c.wildcard,
  };
};

const stateOf = (c: Case): StepInput => {
  const mine = (clusters: string[]): readonly ObservedCluster[] =>
    clusters.filter((cluster) => !c.taken?.includes(cluster)).map((cluster) => observed(c, cluster));
  return {
    strategy: c.strategy,
    groups: [
      { index: 0, name: 'canary', clusters: mine(['c1', 'c2']) },
      { index: 1, name: '', clusters: mine(['c3', 'c4']) },
    ],
    wildcard: c.wildcard === undefined ? undefined : admission(c.wildcard),
    hasCompleted: c.hasCompleted ?? false,
    clustersPerGroup: 4,
    isPaused: c.paused ?? false,
    keepsFailed: false,
  };
};

const decide = (c: Case): StepDecision => decideStep(stateOf(c), { wall: NOW, time: toTime(NOW) });

/** The phase of each cluster before the step. It is read from the counts of a group that contains only this cluster. */
const phasesOf = (c: Case): Record<string, string> => {
  const state = stateOf(c);
  const phaseOf = (one: ObservedCluster): string => {
    const { counts } = placeGroup(state, { index: 0, name: '', clusters: [one] }, NOW);
    return Object.entries(counts).find(([, count]) => count === 1)?.[0] ?? '';
  };
  return Object.fromEntries(state.groups.flatMap(({ clusters }) => clusters.map((one) => [one.cluster, phaseOf(one)])));
};

describe('one step of a rollout (c1, c2 in the first decision group, c3, c4 in the second)', () => {
  const justNow = NOW - SECOND;
  const cases: Case[] = [
    { name: 'vector 1: one at a time starts with the first by name', strategy: ONE_BY_ONE, set: 'c1' },
    { name: 'vector 2: the next follows a success', strategy: ONE_BY_ONE, observations: [done('c1')], set: 'c2' },
    {
      name: 'vector 3: a cluster that soaks keeps its slot',
      strategy: { ...ONE_BY_ONE, minSuccessMs: 60 * SECOND },
      observations: [done('c1', 5 * SECOND)],
      inFlight: { c1: NOW - 30 * SECOND },
      set: 'c1',
    },
    {
      name: 'vector 4: a timeout above maxFailures halts',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 }, progressDeadlineMs: 30 * SECOND },
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: NOW - 40 * SECOND },
      set: '',
      hold: 'TooManyFailures',
    },
    {
      name: 'vector 5: a tolerated timeout gives its slot back',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 }, progressDeadlineMs: 30 * SECOND, maxFailures: { count: 1 } },
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: NOW - 40 * SECOND },
      set: 'c2,c3',
    },
    { name: 'vector 6: per group starts with the whole first group', strategy: perGroup, set: 'c1,c2' },
    { name: 'vector 7: the second group follows the first', strategy: perGroup, observations: [done('c1'), done('c2')], set: 'c3,c4' },
    {
      name: 'vector 8, corrected: a cluster of a later entry delays no cluster',
      strategy: perGroup,
      taken: ['c1'],
      observations: [done('c2')],
      set: 'c3,c4',
    },
    { name: 'vector 9: nor does it take a slot', strategy: ONE_BY_ONE, taken: ['c1'], observations: [done('c2'), done('c3')], set: 'c4' },
    {
      name: 'vector 10: a failure inside its deadline keeps its slot',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 }, maxFailures: { count: 1 }, progressDeadlineMs: 60 * SECOND },
      observations: [failed('c1')],
      inFlight: { c1: justNow },
      set: 'c1,c2',
    },
    {
      name: 'without a deadline a tolerated failure gives its slot back at once',
      strategy: { ...ONE_BY_ONE, maxFailures: { count: 1 } },
      observations: [failed('c1')],
      inFlight: { c1: justNow },
      set: 'c2',
    },
    {
      name: 'maxFailures above the cluster count means all may fail',
      strategy: { ...ONE_BY_ONE, maxFailures: { count: 99 } },
      observations: [failed('c1'), failed('c2'), failed('c3')],
      set: 'c4',
    },
    {
      name: 'an unreachable cluster is skipped, without a slot and without a failure',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { unreachableSince: 5 })],
      set: 'c2',
    },
    {
      name: 'an admitted cluster keeps its slot for ten minutes of silence',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { unreachableSince: NOW - 9 * 60 * SECOND })],
      inFlight: { c1: NOW - 20 * 60 * SECOND },
      set: 'c1',
    },
    {
      name: 'then it is parked: still in flight, but without a slot',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { unreachableSince: NOW - 11 * 60 * SECOND })],
      inFlight: { c1: NOW - 20 * 60 * SECOND },
      set: 'c1,c2',
    },
    {
      name: 'more in flight than the budget after a shrink is legal, admitting then is not',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true }), seen('c2', { atTarget: true })],
      inFlight: { c1: justNow, c2: justNow },
      set: 'c1,c2',
    },
    { name: 'a paused rollout admits no cluster', strategy: ONE_BY_ONE, paused: true, set: '', hold: 'Paused' },
    {
      name: 'paused lets those in flight finish',
      strategy: ONE_BY_ONE,
      paused: true,
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: justNow },
      set: 'c1',
      hold: 'Paused',
    },
    {
      name: 'a mandatory group goes first, as a whole',
      strategy: { ...ONE_BY_ONE, mandatoryGroups: [{ groupIndex: 1 }] },
      set: 'c3,c4',
    },
    {
      name: 'and tolerates no failure',
      strategy: { ...ONE_BY_ONE, maxFailures: { count: 4 }, mandatoryGroups: [{ groupName: 'canary' }] },
      observations: [failed('c1'), done('c2')],
      set: '',
      hold: 'TooManyFailures',
    },
    {
      name: 'a group with a tolerated failure lets the next one start',
      strategy: { ...perGroup, maxFailures: { percent: 50 } },
      observations: [failed('c1'), done('c2')],
      set: 'c3,c4',
    },
    { name: 'maxConcurrency 0 admits no cluster', strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 0 } }, set: '' },
    { name: 'no budget of its own: one decision group', strategy: { ...ONE_BY_ONE, maxConcurrency: undefined }, set: 'c1,c2,c3,c4' },
    {
      name: 'done but never healthy again keeps its slot',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
      inFlight: { c1: justNow },
      set: 'c1',
    },
    ...([0, 1] as const).map(
      (count): Case => ({
        name: `done but not healthy within the deadline has failed and releases its slot, if ${count} may fail`,
        strategy: { ...ONE_BY_ONE, progressDeadlineMs: 60 * SECOND, maxFailures: { count } },
        observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
        inFlight: { c1: NOW - 61 * SECOND },
        set: count === 0 ? '' : 'c2',
        phases: { c1: 'failed' },
        ...(count === 0 ? { hold: 'TooManyFailures' } : {}),
      }),
    ),
    ...([false, true] as const).map(
      (isAvailable): Case => ({
        name: `and counts as ${isAvailable ? 'succeeded when it is' : 'failed while it is not'} available`,
        strategy: { ...ONE_BY_ONE, progressDeadlineMs: 60 * SECOND },
        observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow, isAvailable })],
        recordedUnhealthy: ['c1'],
        set: isAvailable ? 'c2' : '',
        phases: { c1: isAvailable ? 'succeeded' : 'failed' },
        ...(isAvailable ? {} : { hold: 'TooManyFailures' }),
      }),
    ),
    ...([false, true] as const).map(
      (isAvailable): Case => ({
        name: `failed before it was done: ${isAvailable ? 'succeeded when it is' : 'failed while it is not'} done and available`,
        strategy: { ...ONE_BY_ONE, progressDeadlineMs: 60 * SECOND },
        observations: [seen('c1', { atTarget: true, isDone: isAvailable, isAvailable: true })],
        recordedUnhealthy: ['c1'],
        set: isAvailable ? 'c2' : '',
        phases: { c1: isAvailable ? 'succeeded' : 'failed' },
        ...(isAvailable ? {} : { hold: 'TooManyFailures' }),
      }),
    ),
    ...(['recordedUnhealthy', 'recordedTimeAlone'] as const).flatMap((list): Case[] => {
      const strategy = { ...ONE_BY_ONE, progressDeadlineMs: 60 * SECOND, minSuccessMs: 60 * SECOND };
      const isAvailable = list === 'recordedUnhealthy';
      const doneFor = (ms: number): Row[] => [
        seen('c1', { atTarget: true, isDone: true, doneAt: NOW - ms, ...(isAvailable ? { availableSince: NOW - ms } : {}) }),
      ];
      return [
        {
          name: `${list}: done for less than minSuccessTime counts as failed`,
          strategy,
          observations: doneFor(59 * SECOND),
          [list]: ['c1'],
          set: '',
          phases: { c1: 'recovering' },
          hold: 'TooManyFailures',
        },
        {
          name: `${list}: and takes no slot if the failure is tolerated`,
          strategy: { ...strategy, maxFailures: { count: 1 } },
          observations: doneFor(59 * SECOND),
          [list]: ['c1'],
          set: 'c2',
          phases: { c1: 'recovering' },
        },
        {
          name: `${list}: done for minSuccessTime has succeeded`,
          strategy,
          observations: doneFor(60 * SECOND),
          [list]: ['c1'],
          set: 'c2',
          phases: { c1: 'succeeded' },
        },
      ];
    }),
    {
      name: 'a failed cluster whose health does not count soaks again from the time at which it is available',
      strategy: { ...ONE_BY_ONE, minSuccessMs: 60 * SECOND },
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: NOW - 90 * SECOND, availableSince: NOW - 30 * SECOND })],
      recordedTimeAlone: ['c1'],
      set: '',
      phases: { c1: 'recovering' },
      hold: 'TooManyFailures',
    },
    {
      name: 'a cluster that succeeded stays succeeded if minSuccessTime becomes longer',
      strategy: { ...ONE_BY_ONE, minSuccessMs: 3600 * SECOND },
      observations: [done('c1', 90 * SECOND)],
      set: 'c2',
      phases: { c1: 'succeeded' },
    },
    {
      name: 'done is enough for an add-on that was not available before',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
      inFlight: { c1: justNow },
      unhealthy: ['c1'],
      set: 'c2',
    },
    {
      name: 'done is enough if a required dependency is missing or health is not reported',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow, isHealthSilent: true })],
      inFlight: { c1: justNow },
      set: 'c2',
    },
    ...(['unhealthy before', 'health silent'] as const).flatMap((why): Case[] => {
      const soaking = { ...ONE_BY_ONE, minSuccessMs: 60 * SECOND };
      const at = (doneAt: number, more: Partial<Row> = {}): Partial<Case> => ({
        strategy: soaking,
        observations: [seen('c1', { atTarget: true, isDone: true, doneAt, isHealthSilent: why === 'health silent', ...more })],
        inFlight: { c1: NOW - 120 * SECOND },
        unhealthy: why === 'unhealthy before' ? ['c1'] : [],
      });
      return [
        { name: `${why}: minSuccessTime is waited for`, ...at(NOW - 30 * SECOND), set: 'c1', phases: { c1: 'soaking' } },
        { name: `${why}: the time alone ends the soak`, ...at(NOW - 60 * SECOND), set: 'c2', phases: { c1: 'succeeded' } },
        {
          name: `${why}: an add-on that becomes available soaks from then on`,
          ...at(NOW - 90 * SECOND, { availableSince: NOW - 30 * SECOND, isAvailable: true }),
          set: 'c1',
          phases: { c1: 'soaking' },
        },
      ] as Case[];
    }),
    {
      name: 'the soak starts again if health was lost in between',
      strategy: { ...ONE_BY_ONE, minSuccessMs: 60 * SECOND },
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: NOW - 90 * SECOND, availableSince: NOW - 30 * SECOND })],
      inFlight: { c1: NOW - 120 * SECOND },
      set: 'c1',
      phases: { c1: 'soaking' },
    },
    {
      name: 'a clock that was stepped back delays no cluster without a soak',
      strategy: ONE_BY_ONE,
      observations: [done('c1', -3600 * SECOND)],
      inFlight: { c1: NOW + 3600 * SECOND },
      set: 'c2',
    },
    {
      name: 'a cluster that left the record after its soak stays succeeded whatever its health does',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
      set: 'c2',
      phases: { c1: 'succeeded' },
    },
    {
      name: 'a failure that mends counts as success',
      strategy: ONE_BY_ONE,
      observations: [done('c1'), done('c2', SECOND)],
      set: 'c3',
    },
    {
      name: 'a cluster that moved, left the record and is not done has failed',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { atTarget: true })],
      set: '',
      hold: 'TooManyFailures',
    },
    {
      name: 'a parked cluster that returns takes a slot again and is given its time anew',
      strategy: { ...ONE_BY_ONE, progressDeadlineMs: 60 * SECOND },
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: NOW - 3600 * SECOND },
      parked: ['c1'],
      set: 'c1',
      phases: { c1: 'progressing' },
    },
    {
      name: 'a cluster that may belong to another entry is not admitted',
      strategy: ONE_BY_ONE,
      observations: [seen('c1', { mayMove: false })],
      set: 'c2',
    },
    {
      name: 'nor does its group go on without it',
      strategy: perGroup,
      observations: [seen('c1', { mayMove: false }), done('c2')],
      set: '',
    },
    {
      name: 'on the way back clusters that had arrived are admitted first, then the others by name',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 } },
      returning: ['c4'],
      set: 'c1,c4',
    },
    {
      name: 'clusters in flight to another revision keep their slot',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 } },
      elsewhere: ['c1'],
      set: 'c2',
      phases: { c1: 'progressing' },
    },
    {
      name: 'joiners of a paused rollout are listed, as many as the budget allows',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 } },
      paused: true,
      observations: [fresh('c1'), fresh('c2'), fresh('c3'), seen('c4')],
      set: '',
      hold: 'Paused',
      joiners: 'c1,c2',
    },
    {
      name: 'joiners of a halted rollout too',
      strategy: { ...ONE_BY_ONE, maxConcurrency: { count: 2 } },
      observations: [failed('c1'), fresh('c2')],
      set: '',
      hold: 'TooManyFailures',
      joiners: 'c2,c3',
    },
    { name: 'ten percent of four is one', strategy: { ...ONE_BY_ONE, maxConcurrency: { percent: 10 } }, set: 'c1' },
    { name: 'half of four is two', strategy: { ...ONE_BY_ONE, maxConcurrency: { percent: 50 } }, set: 'c1,c2' },
    {
      name: 'a share of failures is rounded up',
      strategy: { ...ONE_BY_ONE, maxFailures: { percent: 10 } },
      observations: [failed('c1')],
      set: 'c2',
    },
    {
      name: 'mandatory groups go in the order they are named',
      strategy: { ...ONE_BY_ONE, mandatoryGroups: [{ groupIndex: 1 }, { groupName: 'canary' }] },
      observations: [done('c3'), done('c4')],
      set: 'c1,c2',
    },
    {
      name: "a mandatory group without name and index is the first one, as upstream's types write the index 0",
      strategy: { ...ONE_BY_ONE, mandatoryGroups: [{}] },
      set: 'c1,c2',
    },
    {
      name: 'a mandatory group that does not exist delays no cluster',
      strategy: { ...ONE_BY_ONE, mandatoryGroups: [{ groupName: 'nobody' }] },
      set: 'c1',
    },
    {
      name: 'a group waits for those that soak',
      strategy: { ...perGroup, minSuccessMs: 60 * SECOND },
      observations: [done('c1'), done('c2', SECOND)],
      inFlight: { c2: NOW - 10 * SECOND },
      set: 'c2',
    },
    {
      name: 'a group does not wait for a parked or skipped cluster',
      strategy: perGroup,
      observations: [seen('c1', { unreachableSince: 1 }), seen('c2', { unreachableSince: NOW - 11 * 60 * SECOND })],
      inFlight: { c2: NOW - 20 * 60 * SECOND },
      set: 'c2,c3,c4',
      phases: { c1: 'skipped', c2: 'parked' },
    },
  ];

  it.each(cases)('$name', (c) => {
    const decision = decide(c);
    expect([...decision.inFlight.keys()].sort().join()).toBe(c.set);
    expect(decision.hold).toBe(c.hold);
    if (c.joiners !== undefined) expect(decision.joiners.join()).toBe(c.joiners);
    expect(phasesOf(c)).toMatchObject(c.phases ?? {});
  });

  const withStar: Case[] = [
    {
      name: 'a cluster that was unreachable at the wildcard admission is skipped until it returns',
      strategy: all,
      wildcard: justNow,
      observations: [seen('c1', { atTarget: true, unreachableSince: NOW - 30 * 86_400 * SECOND }), done('c2'), done('c3'), done('c4')],
      set: '',
      phases: { c1: 'skipped', c2: 'succeeded' },
    },
    {
      name: 'when it returns its time starts then',
      strategy: { ...all, progressDeadlineMs: 60 * SECOND },
      wildcard: NOW - 3600 * SECOND,
      observations: [seen('c1', { atTarget: true, reachableSince: justNow }), done('c2'), done('c3'), done('c4')],
      set: '',
      phases: { c1: 'progressing' },
    },
    {
      name: 'a cluster that was not available before is recorded by name with the wildcard, also when it is done',
      strategy: all,
      wildcard: justNow,
      inFlight: { c1: justNow },
      unhealthy: ['c1'],
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
      set: 'c1',
      phases: { c1: 'succeeded' },
    },
    {
      name: 'health lost after completion does not reopen the rollout',
      strategy: all,
      wildcard: NOW - 3600 * SECOND,
      hasCompleted: true,
      observations: [seen('c1', { atTarget: true, isDone: true }), done('c2'), done('c3'), done('c4')],
      set: '',
      phases: { c1: 'succeeded' },
    },
    {
      name: 'a deadline holds under a wildcard too',
      strategy: { ...all, progressDeadlineMs: 60 * SECOND },
      wildcard: NOW - 90 * SECOND,
      observations: [seen('c1', { atTarget: true })],
      set: '',
      phases: { c1: 'failed', c2: 'progressing' },
    },
  ];
  it.each(withStar)('$name', (c) => {
    const decision = decide(c);
    expect(decision.admitsAll).toBe(true);
    expect([...decision.inFlight.keys()].join()).toBe(c.set);
    expect(phasesOf(c)).toMatchObject(c.phases ?? {});
  });

  it.each([true, false])('an add-on that becomes available after the move must stay so (All: %s)', (isAll) => {
    const c: Case = {
      name: '',
      strategy: isAll ? all : { ...ONE_BY_ONE, minSuccessMs: 60 * SECOND },
      observations: [seen('c1', { atTarget: true, isDone: true, isAvailable: true, doneAt: justNow, availableSince: justNow })],
      inFlight: { c1: justNow },
      unhealthy: ['c1'],
      ...(isAll ? { wildcard: justNow } : {}),
      set: '',
    };
    expect(decide(c).inFlight.get('c1')?.unhealthyBefore).toBe(isAll ? undefined : false);
  });

  it('All admits every cluster with one wildcard admission', () => {
    const decision = decide({ name: '', strategy: all, set: '' });
    expect(decision).toMatchObject({ admitsAll: true, admitted: ['*'], hold: undefined });
  });
});
