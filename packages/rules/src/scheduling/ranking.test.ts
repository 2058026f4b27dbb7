import type { PrioritizerConfig, PrioritizerPolicy } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClusterExpressions } from './expressions.js';
import { NOW, type Situation, candidate, chosen, inputOf, misconfiguration, scheduleOf } from './fixtures.js';
import { schedule } from './schedule.js';

const builtIn = (name: string, weight?: number): PrioritizerConfig => ({
  scoreCoordinate: { type: 'BuiltIn', builtIn: name },
  ...(weight === undefined ? {} : { weight }),
});
const addOn = (resourceName: string, scoreName: string, weight = 1): PrioritizerConfig => ({
  scoreCoordinate: { type: 'AddOn', addOn: { resourceName, scoreName } },
  weight,
});
const exact = (...configurations: PrioritizerConfig[]): PrioritizerPolicy => ({ mode: 'Exact', configurations });

/** The scores of all clusters. */
function scores(situation: Situation, prioritizerPolicy: PrioritizerPolicy): Readonly<Record<string, number>> {
  const spec = { ...situation.spec, prioritizerPolicy, numberOfClusters: 0 };
  return Object.fromEntries(scheduleOf({ ...situation, spec }).scoring().scores);
}

const four = ['a', 'b', 'c', 'd'].map((name) => candidate(name));

describe('prioritizers', () => {
  it('Steady prefers clusters that are selected already', () => {
    expect(scores({ clusters: four, selected: ['b'] }, exact(builtIn('Steady')))).toEqual({ a: 0, b: 100, c: 0, d: 0 });
  });

  it.each([
    { name: 'no cluster is selected yet', others: {}, want: { a: 100, b: 100, c: 100, d: 100 } },
    { name: 'one is busy', others: { a: 1 }, want: { a: -100, b: 100, c: 100, d: 100 } },
    { name: 'shares of the busiest', others: { a: 4, b: 2, c: 1 }, want: { a: -100, b: 0, c: 50, d: 100 } },
    {
      name: 'the busiest of the hub counts though it cannot be chosen',
      others: { a: 1, elsewhere: 3 },
      want: { a: 32, b: 100, c: 100, d: 100 },
    },
  ])('Balance: $name', ({ others, want }) => expect(scores({ clusters: four, others }, exact(builtIn('Balance')))).toEqual(want));

  const sized = (name: string, cpu: string, memory = '1Gi'): ReturnType<typeof candidate> =>
    candidate(name, { allocatable: { cpu, memory } });
  it.each([
    { name: 'least to most', clusters: [sized('a', '2'), sized('b', '4'), sized('c', '10')], want: { a: -100, b: -50, c: 100 } },
    { name: 'all equal', clusters: [sized('a', '2'), sized('b', '2000m')], want: { a: 100, b: 100 } },
    { name: 'nothing known is no verdict', clusters: [sized('a', '2'), sized('b', '4'), candidate('c')], want: { a: -100, b: 100, c: 0 } },
    {
      name: 'nor is a part of it',
      clusters: [sized('a', '2'), sized('b', '4'), candidate('c', { allocatable: { cpu: '99' }, capacity: {} })],
      want: { a: -100, b: 100, c: 0 },
    },
    { name: 'nor is nonsense', clusters: [sized('a', '2'), sized('b', '4'), sized('c', 'many')], want: { a: -100, b: 100, c: 0 } },
    { name: 'fractions are cut', clusters: [sized('a', '0'), sized('b', '1'), sized('c', '3')], want: { a: -100, b: -33, c: 100 } },
  ])('ResourceAllocatableCPU: $name', ({ clusters, want }) =>
    expect(scores({ clusters }, exact(builtIn('ResourceAllocatableCPU')))).toEqual(want),
  );

  it('ResourceAllocatableMemory reads memory', () => {
    const clusters = [sized('a', '1', '1Gi'), sized('b', '1', '1024Mi'), sized('c', '1', '3Gi')];
    expect(scores({ clusters }, exact(builtIn('ResourceAllocatableMemory')))).toEqual({ a: -100, b: -100, c: 100 });
  });

  const sheets = {
    'a/load': { scores: [{ name: 'cpu', value: 30 }], validUntil: undefined },
    'b/load': { scores: [{ name: 'cpu', value: 80 }], validUntil: NOW + 1000 },
    'c/load': { scores: [{ name: 'cpu', value: 90 }], validUntil: NOW - 1 },
    'd/load': { scores: [{ name: 'memory', value: 90 }], validUntil: undefined },
  };
  it('an add-on’s score counts as reported, as 0 if it is absent or expired', () => {
    expect(scores({ clusters: four, sheets }, exact(addOn('load', 'cpu')))).toEqual({ a: 30, b: 80, c: 0, d: 0 });
  });

  it('scores request a recheck when they expire, and expired ones are reported with their prioritizer', () => {
    const spec = { prioritizerPolicy: exact(addOn('load', 'cpu')), numberOfClusters: 1 };
    const { recheckAt, scoring } = scheduleOf({ spec, clusters: four, sheets });
    expect([recheckAt, scoring().expired]).toEqual([NOW + 1001, { prioritizer: 'AddOn/load/cpu', scores: ['c/load'] }]);
    expect(chosen({ spec, clusters: four, sheets })).toEqual(['b']);
    expect(chosen({ spec, clusters: four, sheets }, NOW + 1001)).toEqual(['a']);
  });

  it.each([
    { name: 'without a policy Steady and Balance count once each', policy: {}, want: { a: 0, b: 200, c: 100, d: 100 } },
    { name: 'Additive adds', policy: { configurations: [addOn('load', 'cpu', 2)] }, want: { a: 60, b: 360, c: 100, d: 100 } },
    {
      name: 'Additive can change a default',
      policy: { mode: 'Additive' as const, configurations: [builtIn('Steady', 3)] },
      want: { a: 0, b: 400, c: 100, d: 100 },
    },
    {
      name: 'the empty mode is Additive',
      policy: { mode: '' as const, configurations: [builtIn('Balance', 0)] },
      want: { a: 0, b: 100, c: 0, d: 0 },
    },
    { name: 'Exact forgets the defaults', policy: exact(addOn('load', 'cpu', -1)), want: { a: -30, b: -80, c: 0, d: 0 } },
    { name: 'a weight defaults to 1', policy: exact(builtIn('Steady')), want: { a: 0, b: 100, c: 0, d: 0 } },
    {
      name: 'a later entry for the same score wins',
      policy: exact(builtIn('Steady', 5), builtIn('Steady', 1)),
      want: { a: 0, b: 100, c: 0, d: 0 },
    },
  ])('$name', ({ policy, want }) => {
    // Other Placements select cluster `a` half as often as `x`, so the Balance score of `a` is 0. Cluster `b` is already selected, so its
    // Steady score is 100.
    const others: Readonly<Record<string, number>> = { a: 2, x: 4 };
    expect(scores({ clusters: four, selected: ['b'], others, sheets }, policy)).toEqual(want);
  });

  it.each([
    { policy: exact(builtIn('Fastest')), want: ':incorrect builtin prioritizer: Fastest' },
    { policy: exact(builtIn('constructor')), want: ':incorrect builtin prioritizer: constructor' },
    { policy: exact({ scoreCoordinate: { type: 'AddOn' } }), want: ':addOn should not be empty' },
    { policy: { mode: 'Some' } as unknown as PrioritizerPolicy, want: ':incorrect prioritizer policy mode: Some' },
    { policy: exact({} as PrioritizerConfig), want: ':scoreCoordinate field is required' },
    { policy: exact(builtIn('Fastest', 0)), want: undefined },
  ])('misconfigured: $want', ({ policy, want }) =>
    expect(misconfiguration({ spec: { prioritizerPolicy: policy }, clusters: four })).toBe(want),
  );
});

describe('taking', () => {
  it.each([
    { name: 'all clusters if no number is requested', number: undefined, want: { count: 4, unscheduled: 0 } },
    { name: 'as many clusters as requested', number: 2, want: { count: 2, unscheduled: 0 } },
    { name: 'none', number: 0, want: { count: 0, unscheduled: 0 } },
    { name: 'all clusters that match, with the number that is missing', number: 6, want: { count: 4, unscheduled: 2 } },
  ])('takes $name', ({ number, want }) => {
    const spec = number === undefined ? {} : { numberOfClusters: number };
    expect(scheduleOf({ spec, clusters: four })).toMatchObject(want);
  });

  it('equal scores go by name', () => {
    expect(chosen({ spec: { numberOfClusters: 2 }, clusters: [...four].reverse() })).toEqual(['a', 'b']);
  });

  it('computes no scores if all clusters are selected and no scores are requested', () => {
    const input = {
      ...inputOf({ clusters: four, spec: { numberOfClusters: 4 } }),
      otherDecisions: (): never => {
        throw new Error('must not be asked');
      },
    };
    expect(schedule(input, new ClusterExpressions(), NOW)).toMatchObject({ count: 4 });
  });
});

describe('choosing, for every fleet', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 12 });
  const fleet = fc.record({
    names,
    cpus: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 12 }),
    others: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 12, maxLength: 12 }),
    chosenBefore: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    number: fc.integer({ min: 0, max: 14 }),
  });
  type Fleet = typeof fleet extends fc.Arbitrary<infer T> ? T : never;
  const policy: PrioritizerPolicy = { configurations: [builtIn('ResourceAllocatableCPU')] };
  const situation = ({ names: all, cpus, others, chosenBefore, number }: Fleet, extra = 0): Situation => ({
    spec: { numberOfClusters: number + extra, prioritizerPolicy: policy },
    clusters: all.map((name, i) => candidate(name, { allocatable: { cpu: String(cpus[i]) } })),
    others: Object.fromEntries(all.map((name, i) => [name, others[i] ?? 0])),
    selected: all.filter((_, i) => chosenBefore[i]),
  });

  it('does not depend on the order of the clusters', () => {
    fc.assert(
      fc.property(fleet, (given) => {
        const straight = situation(given);
        const turned = { ...straight, clusters: [...straight.clusters].reverse() };
        expect(chosen(turned)).toEqual(chosen(straight));
      }),
    );
  });

  it('keeps its clusters when more are requested', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 1, max: 3 }), (given, extra) => {
        expect(chosen(situation(given, extra))).toEqual(expect.arrayContaining([...chosen(situation(given))]));
      }),
    );
  });

  it('selects the same clusters again if nothing changed, with the default prioritizers', () => {
    fc.assert(
      fc.property(fleet, (given) => {
        const first = situation(given);
        const spec = { numberOfClusters: given.number };
        const choice = chosen({ ...first, spec });
        expect(chosen({ ...first, spec, selected: choice })).toEqual(choice);
      }),
    );
  });

  it('stays the same when a cluster that it did not choose changes in fields that it does not read', () => {
    fc.assert(
      fc.property(fleet, (given) => {
        const first = situation(given);
        const clusters = first.clusters.map((cluster) => ({ ...cluster, labels: { noise: 'x' }, facts: { noise: 1 } }));
        expect(chosen({ ...first, clusters })).toEqual(chosen(first));
      }),
    );
  });
});
