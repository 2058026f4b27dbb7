import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PairwiseValues, largest, pairwiseAverages, pairwiseDifferences } from './pairwise.js';

const values = fc.array(
  fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.constant(Number.POSITIVE_INFINITY)),
  { minLength: 1, maxLength: 12 },
);
const difference = (a: number, b: number): number => (a === b ? 0 : a - b);

/** All values of the pairs in descending order, as `largest` returns them. */
const ordered = (pairs: PairwiseValues): readonly number[] => Array.from({ length: pairs.size }, (_, i) => largest(pairs, i + 1));
/** Sorts the enumerated values in descending order. The addition of 0 turns -0 into 0. */
const descending = (all: readonly number[]): readonly number[] =>
  all.map((one) => one + 0).toSorted((a, b) => (a === b ? 0 : a < b ? 1 : -1));

describe('the values of pairs have the order of the enumerated values', () => {
  it('differences', () => {
    fc.assert(
      fc.property(values, values, (first, second) => {
        const all = first.flatMap((a) => second.map((b) => difference(a, b)));
        expect(ordered(pairwiseDifferences(first, second))).toEqual(descending(all));
      }),
    );
  });

  it('averages', () => {
    fc.assert(
      fc.property(values, (samples) => {
        const all = samples.flatMap((a, i) => samples.slice(i).map((b) => a / 2 + b / 2));
        expect(ordered(pairwiseAverages(samples))).toEqual(descending(all));
      }),
    );
  });
});
