import { describe, expect, it } from 'vitest';
import { type Comparison, type Sample, judgeComparison } from './comparison.js';

const comparison: Comparison = { worse: 'Higher', tolerance: 0.5, confidence: 0.95, minSamples: 3, looks: 1, analyses: 1 };
const samples = (...changes: readonly (number | undefined)[]): Sample[] =>
  changes.map((change) => ({ before: 10, now: change === undefined ? undefined : 10 + change }));
const flat = samples(0.1, -0.1, 0.05, -0.05, 0.2, -0.2, 0.15, -0.15);
const risen = samples(5, 6, 7, 8, 5.5, 6.5);

describe('judgeComparison', () => {
  it.each([
    { name: 'equal changes pass within the tolerance', moved: flat, peers: flat, want: 'Pass peers' },
    { name: 'higher values fail', moved: risen, peers: flat, want: 'Fail peers' },
    { name: 'higher values are better if lower is worse', moved: risen, peers: flat, change: { worse: 'Lower' }, want: 'Pass peers' },
    { name: 'a wide spread is inconclusive', moved: samples(-9, 9, -8, 8), peers: samples(7, -7, 6, -6), want: 'Inconclusive peers' },
    { name: 'without peers, each cluster against its own past', moved: risen, peers: [], want: 'Fail past' },
    { name: 'vanished series are worst', moved: samples(...Array<undefined>(6).fill(undefined)), peers: flat, want: 'Fail peers' },
    { name: 'a peer without a value is ignored', moved: risen, peers: samples(undefined, undefined, undefined), want: 'Fail past' },
    { name: 'three clusters cannot decide', moved: samples(5, 6, 7), peers: [], want: 'Inconclusive past, too few' },
    { name: 'fewer than the least number of samples', moved: samples(5, 6), peers: flat, want: 'Inconclusive past, too few' },
    {
      name: 'the level is divided among looks',
      moved: samples(5, 6, 7, 8, 9),
      peers: [],
      change: { looks: 10 },
      want: 'Inconclusive past, too few',
    },
  ] as { name: string; moved: Sample[]; peers: Sample[]; change?: Partial<Comparison>; want: string }[])(
    '$name',
    ({ moved, peers, change, want }) => {
      const { result, basis, isTooFew } = judgeComparison(moved, peers, { ...comparison, ...change });
      expect(`${result} ${basis}${isTooFew ? ', too few' : ''}`).toBe(want);
    },
  );

  it('a new cluster without a value from before is left out', () => {
    expect(judgeComparison([...risen, { before: undefined, now: 99 }], flat, comparison).samples).toBe(risen.length);
  });
});
