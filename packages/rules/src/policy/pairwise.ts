/**
 * Order statistics of pairwise values. The values of all pairs of 10,000 clusters would take gigabytes, so they are never computed: for a
 * bound, two pointers into sorted values count the pairs at or above it, and a binary search finds the bound with the wanted count.
 */

/** The values of a set of pairs, which can be counted but are not stored. */
export interface PairwiseValues {
  readonly size: number;
  /** The number of pairs whose value is at least `bound`. */
  readonly countAtLeast: (bound: number) => number;
}

/** The differences between each value of `first` and each value of `second`. Equal infinite values have the difference 0. */
export function pairwiseDifferences(first: readonly number[], second: readonly number[]): PairwiseValues {
  const minuends = ascending(first);
  const subtrahends = ascending(second);
  return {
    size: minuends.length * subtrahends.length,
    countAtLeast: (bound) => {
      let count = 0;
      let small = 0;
      for (const value of minuends) {
        while (small < subtrahends.length && difference(value, subtrahends[small] ?? 0) >= bound) small++;
        count += small;
      }
      return count;
    },
  };
}

/** The averages of each value with itself and with each other value. */
export function pairwiseAverages(values: readonly number[]): PairwiseValues {
  const sorted = ascending(values);
  const n = sorted.length;
  return {
    size: (n * (n + 1)) / 2,
    countAtLeast: (bound) => {
      let count = 0;
      let partner = n;
      for (const [i, value] of sorted.entries()) {
        while (partner > 0 && average(value, sorted[partner - 1] ?? 0) >= bound) partner--;
        // Count only pairs with values from index `i` on. Pairs with an earlier value were counted in the iteration for that value.
        count += n - Math.max(i, partner);
      }
      return count;
    },
  };
}

/** Returns the value that has `position - 1` values before it in descending order. `position` is from 1 to `values.size`. */
export function largest({ countAtLeast }: PairwiseValues, position: number): number {
  let low = keyOf(Number.NEGATIVE_INFINITY);
  let high = keyOf(Number.POSITIVE_INFINITY);
  while (low < high) {
    const middle = low + (high - low + 1n) / 2n;
    if (countAtLeast(numberOf(middle)) >= position) low = middle;
    else high = middle - 1n;
  }
  return numberOf(low);
}

const bits = new DataView(new ArrayBuffer(8));

/** Maps numbers to integers in the same order, so that a binary search ends at an exact number after 64 steps. */
function keyOf(value: number): bigint {
  bits.setFloat64(0, Math.abs(value));
  const size = bits.getBigInt64(0);
  return value < 0 ? -size : size;
}

function numberOf(key: bigint): number {
  bits.setBigInt64(0, key < 0n ? -key : key);
  const size = bits.getFloat64(0);
  return key < 0n ? -size : size;
}

function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1));
}

/** The difference between two values. Two series that disappeared are both infinitely bad, so their difference is 0. */
function difference(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function average(a: number, b: number): number {
  return a / 2 + b / 2;
}
