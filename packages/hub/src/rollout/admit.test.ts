import { describe, expect, it } from 'vitest';
import { type EntryState, decideEntry } from './admit.js';
import type { ClusterObservation } from './phase.js';
import type { Strategy } from './strategy.js';

const NOW = 1_000_000;
const SECOND = 1000;

const seen = (cluster: string, change: Partial<ClusterObservation> = {}): ClusterObservation => ({
  cluster,
  createdAt: 0,
  atTarget: false,
  isDone: false,
  doneAt: undefined,
  availableSince: undefined,
  isUnhealthyBefore: false,
  hasFailed: false,
  unreachableSince: undefined,
  ...change,
});
const done = (cluster: string, agoMs = 3600 * SECOND): ClusterObservation =>
  seen(cluster, { atTarget: true, isDone: true, doneAt: NOW - agoMs, availableSince: NOW - agoMs });
const failed = (cluster: string): ClusterObservation => seen(cluster, { atTarget: true, hasFailed: true });

const progressive: Strategy = {
  type: 'Progressive',
  minSuccessMs: 0,
  progressDeadlineMs: undefined,
  maxFailures: { count: 0 },
  maxConcurrency: { count: 1 },
  mandatoryGroups: [],
};
const perGroup: Strategy = { ...progressive, type: 'ProgressivePerGroup', maxConcurrency: undefined };
const all: Strategy = { ...progressive, type: 'All', maxFailures: { percent: 100 }, maxConcurrency: undefined };

interface Case {
  name: string;
  strategy: Strategy;
  observations?: ClusterObservation[];
  inFlight?: Record<string, number>;
  /** Clusters taken by a later entry. */
  taken?: string[];
  paused?: boolean;
  /** Clusters that carry or may carry the target after this step. */
  set: string;
  hold?: string;
}

const decide = (c: Case): ReturnType<typeof decideEntry> => {
  const mine = (clusters: string[]): string[] => clusters.filter((cluster) => !c.taken?.includes(cluster));
  const state: EntryState = {
    strategy: c.strategy,
    groups: [
      { index: 0, name: 'canary', clusters: mine(['c1', 'c2']) },
      { index: 1, name: '', clusters: mine(['c3', 'c4']) },
    ],
    observations: new Map((c.observations ?? []).map((o) => [o.cluster, o])),
    inFlight: new Map(Object.entries(c.inFlight ?? {})),
    admittedAllAt: undefined,
    clustersPerGroup: 4,
    isPaused: c.paused ?? false,
  };
  return decideEntry(state, NOW);
};

describe('one step of a rollout (c1, c2 in the first decision group, c3, c4 in the second)', () => {
  const justNow = NOW - SECOND;
  const cases: Case[] = [
    { name: 'vector 1: one at a time starts with the first by name', strategy: progressive, set: 'c1' },
    { name: 'vector 2: the next follows a success', strategy: progressive, observations: [done('c1')], set: 'c2' },
    {
      name: 'vector 3: a cluster that soaks keeps its slot',
      strategy: { ...progressive, minSuccessMs: 60 * SECOND },
      observations: [done('c1', 5 * SECOND)],
      inFlight: { c1: NOW - 30 * SECOND },
      set: 'c1',
    },
    {
      name: 'vector 4: a timeout above maxFailures halts',
      strategy: { ...progressive, maxConcurrency: { count: 2 }, progressDeadlineMs: 30 * SECOND },
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: NOW - 40 * SECOND },
      set: '',
      hold: 'TooManyFailures',
    },
    {
      name: 'vector 5: a tolerated timeout gives its slot back',
      strategy: { ...progressive, maxConcurrency: { count: 2 }, progressDeadlineMs: 30 * SECOND, maxFailures: { count: 1 } },
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: NOW - 40 * SECOND },
      set: 'c2,c3',
    },
    { name: 'vector 6: per group starts with the whole first group', strategy: perGroup, set: 'c1,c2' },
    { name: 'vector 7: the second group follows the first', strategy: perGroup, observations: [done('c1'), done('c2')], set: 'c3,c4' },
    {
      name: 'vector 8, corrected: a cluster of a later entry holds up nobody',
      strategy: perGroup,
      taken: ['c1'],
      observations: [done('c2')],
      set: 'c3,c4',
    },
    { name: 'vector 9: nor does it take a slot', strategy: progressive, taken: ['c1'], observations: [done('c2'), done('c3')], set: 'c4' },
    {
      name: 'vector 10: a failure inside its deadline keeps its slot',
      strategy: { ...progressive, maxConcurrency: { count: 2 }, maxFailures: { count: 1 }, progressDeadlineMs: 60 * SECOND },
      observations: [failed('c1')],
      inFlight: { c1: justNow },
      set: 'c1,c2',
    },
    {
      name: 'without a deadline a tolerated failure gives its slot back at once',
      strategy: { ...progressive, maxFailures: { count: 1 } },
      observations: [failed('c1')],
      inFlight: { c1: justNow },
      set: 'c2',
    },
    {
      name: 'maxFailures above the cluster count means all may fail',
      strategy: { ...progressive, maxFailures: { count: 99 } },
      observations: [failed('c1'), failed('c2'), failed('c3')],
      set: 'c4',
    },
    {
      name: 'an unreachable cluster is skipped, without a slot and without a failure',
      strategy: progressive,
      observations: [seen('c1', { unreachableSince: 5 })],
      set: 'c2',
    },
    {
      name: 'an admitted cluster keeps its slot for ten minutes of silence',
      strategy: progressive,
      observations: [seen('c1', { unreachableSince: NOW - 9 * 60 * SECOND })],
      inFlight: { c1: NOW - 20 * 60 * SECOND },
      set: 'c1',
    },
    {
      name: 'then it is parked: still in flight, but without a slot',
      strategy: progressive,
      observations: [seen('c1', { unreachableSince: NOW - 11 * 60 * SECOND })],
      inFlight: { c1: NOW - 20 * 60 * SECOND },
      set: 'c1,c2',
    },
    {
      name: 'more in flight than the budget after a shrink is legal, admitting then is not',
      strategy: progressive,
      observations: [seen('c1', { atTarget: true }), seen('c2', { atTarget: true })],
      inFlight: { c1: justNow, c2: justNow },
      set: 'c1,c2',
    },
    { name: 'paused admits nobody', strategy: progressive, paused: true, set: '', hold: 'Paused' },
    {
      name: 'paused lets those in flight finish',
      strategy: progressive,
      paused: true,
      observations: [seen('c1', { atTarget: true })],
      inFlight: { c1: justNow },
      set: 'c1',
      hold: 'Paused',
    },
    {
      name: 'a mandatory group goes first, as a whole',
      strategy: { ...progressive, mandatoryGroups: [{ groupIndex: 1 }] },
      set: 'c3,c4',
    },
    {
      name: 'and tolerates no failure',
      strategy: { ...progressive, maxFailures: { count: 4 }, mandatoryGroups: [{ groupName: 'canary' }] },
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
    { name: 'zero concurrency admits nobody', strategy: { ...progressive, maxConcurrency: { count: 0 } }, set: '' },
    { name: 'no budget of its own: one decision group', strategy: { ...progressive, maxConcurrency: undefined }, set: 'c1,c2,c3,c4' },
    {
      name: 'done but never healthy again keeps its slot',
      strategy: progressive,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow })],
      inFlight: { c1: justNow },
      set: 'c1',
    },
    {
      name: 'done is enough where health could not tell before',
      strategy: progressive,
      observations: [seen('c1', { atTarget: true, isDone: true, doneAt: justNow, isUnhealthyBefore: true })],
      inFlight: { c1: justNow },
      set: 'c2',
    },
  ];

  it.each(cases)('$name', (c) => {
    const decision = decide(c);
    expect([...decision.inFlight.keys()].sort().join()).toBe(c.set);
    expect(decision.hold).toBe(c.hold);
  });

  it('All admits everybody with one star', () => {
    const decision = decide({ name: '', strategy: all, set: '' });
    expect(decision).toMatchObject({ admitsAll: true, admitted: ['*'], hold: undefined });
  });
});
