import { type PairwiseValues, largest, pairwiseAverages, pairwiseDifferences } from './pairwise.js';

/**
 * One-sided, distribution-free tests of whether the moved clusters got worse. There is one value per cluster; a larger value is worse. Up
 * to `EXACT_SAMPLES` values the tests are exact, even with ties; for more values they use the normal approximation with a correction for
 * ties.
 */

/** The largest number of values for which the null distribution is computed exactly. */
export const EXACT_SAMPLES = 30;

/** The result of a significance test. */
export interface TestResult {
  /** The probability of values at least this bad if the metric did not get worse. */
  readonly p: number;
  /**
   * The smallest `p` that this many values can give. If it exceeds the accepted false-alarm rate, the test can never report a change for
   * the worse.
   */
  readonly smallestP: number;
}

/** The estimated size of a change for the worse. */
export interface Shift {
  /** The Hodges–Lehmann estimate. */
  readonly estimate: number;
  /** The one-sided upper confidence bound. Infinity if there are too few values for a bound. */
  readonly upperBound: number;
}

/** Tests moved clusters against peers that did not move, with the Mann–Whitney rank-sum test. */
export function testAgainstPeers(moved: readonly number[], peers: readonly number[]): TestResult {
  const [n, m] = [moved.length, peers.length];
  if (n === 0 || m === 0) return { p: 1, smallestP: 1 };
  const { doubledRanks, tieTerm } = rank([...moved, ...peers]);
  const sum = total(doubledRanks.slice(0, n));
  const count = n + m;
  if (count <= EXACT_SAMPLES) {
    return { p: upperTail(subsetSums(doubledRanks, n), sum), smallestP: 1 / combinations(count, n) };
  }
  const variance = (tied: number): number => ((n * m) / 12) * (count + 1 - tied / (count * (count - 1)));
  const distance = sum / 2 - (n * (n + 1)) / 2 - (n * m) / 2;
  return { p: approximateTail(distance, variance(tieTerm)), smallestP: approximateTail((n * m) / 2, variance(0)) };
}

/** The estimated shift of moved clusters relative to peers; `level` is the probability that the true shift is above the bound. */
export function shiftAgainstPeers(moved: readonly number[], peers: readonly number[], level: number): Shift {
  const [n, m] = [moved.length, peers.length];
  const differences = pairwiseDifferences(moved, peers);
  if (n + m <= EXACT_SAMPLES) return shiftOf(differences, leftOut(subsetSums(untied(n + m), n), level, n * (n + 1)));
  const deviation = Math.sqrt((n * m * (n + m + 1)) / 12);
  return shiftOf(differences, Math.floor((n * m) / 2 - normalQuantile(level) * deviation));
}

/** Tests whether moved clusters got worse relative to their own earlier values, with the Wilcoxon signed-rank test. */
export function testAgainstPast(changes: readonly number[]): TestResult {
  const n = changes.length;
  if (n === 0) return { p: 1, smallestP: 1 };
  const moving = changes.filter((change) => change !== 0);
  const { doubledRanks, tieTerm } = rank(moving.map((change) => Math.abs(change)));
  const sum = total(doubledRanks.filter((_, i) => (moving[i] ?? 0) > 0));
  if (n <= EXACT_SAMPLES) return { p: upperTail(subsetSums(doubledRanks), sum), smallestP: 1 / 2 ** n };
  const variance = (k: number, tied: number): number => (k * (k + 1) * (2 * k + 1)) / 24 - tied / 48;
  const k = moving.length;
  const distance = sum / 2 - (k * (k + 1)) / 4;
  return { p: approximateTail(distance, variance(k, tieTerm)), smallestP: approximateTail((n * (n + 1)) / 4, variance(n, 0)) };
}

/** The estimated shift of moved clusters relative to their own earlier values. */
export function shiftAgainstPast(changes: readonly number[], level: number): Shift {
  const n = changes.length;
  const averages = pairwiseAverages(changes);
  if (n <= EXACT_SAMPLES) return shiftOf(averages, leftOut(subsetSums(untied(n)), level, 0));
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
  return shiftOf(averages, Math.floor((n * (n + 1)) / 4 - normalQuantile(level) * deviation));
}

/** Computes the ranks, starting at 1, and the sum of t³ − t over ties. Ranks are doubled, so that the mean ranks of ties are integers. */
function rank(values: readonly number[]): { readonly doubledRanks: readonly number[]; readonly tieTerm: number } {
  const order = values.map((_, i) => i).sort((a, b) => compare(values[a] ?? 0, values[b] ?? 0));
  const doubledRanks = values.map(() => 0);
  let tieTerm = 0;
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end++;
    for (let i = start; i < end; i++) doubledRanks[order[i] ?? 0] = start + end + 1;
    const ties = end - start;
    tieTerm += ties ** 3 - ties;
    start = end;
  }
  return { doubledRanks, tieTerm };
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** For each sum, counts the subsets with this sum. If `size` is given, counts only subsets of that size. */
function subsetSums(values: readonly number[], size?: number): Float64Array {
  const most = total(values);
  if (size === undefined) {
    const ways = new Float64Array(most + 1);
    ways[0] = 1;
    for (const value of values) for (let sum = most; sum >= value; sum--) ways[sum] = (ways[sum] ?? 0) + (ways[sum - value] ?? 0);
    return ways;
  }
  const bySize = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  const none = bySize[0];
  if (none) none[0] = 1;
  for (const value of values) {
    for (let taken = size; taken >= 1; taken--) {
      const [into, from] = [bySize[taken], bySize[taken - 1]];
      if (!into || !from) continue;
      for (let sum = most; sum >= value; sum--) into[sum] = (into[sum] ?? 0) + (from[sum - value] ?? 0);
    }
  }
  return bySize[size] ?? new Float64Array();
}

function upperTail(ways: Float64Array, from: number): number {
  return total(ways.slice(from)) / total(ways);
}

function combinations(count: number, size: number): number {
  let result = 1;
  for (let i = 1; i <= size; i++) result = (result * (count - size + i)) / i;
  return result;
}

/** The ranks of `count` values without ties, doubled as in `rank`. */
function untied(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => 2 * (i + 1));
}

/**
 * The rank, from the top, of the pairwise value that is the confidence bound; 0 if there is no bound. The null distribution of the doubled
 * statistic starts at `offset`.
 */
function leftOut(ways: Float64Array, level: number, offset: number): number {
  const allowed = level * total(ways);
  let below = 0;
  for (let count = 0; offset + 2 * count < ways.length; count++) {
    below += ways[offset + 2 * count] ?? 0;
    if (below > allowed) return count;
  }
  return 0;
}

/** The median of the pairwise values as the estimate, and the `fromTop`-th largest value as the bound. If `fromTop` is 0, there is no bound. */
function shiftOf(values: PairwiseValues, fromTop: number): Shift {
  const { size } = values;
  if (size === 0) return { estimate: Number.NaN, upperBound: Number.POSITIVE_INFINITY };
  const [upper, lower] = [Math.ceil(size / 2), Math.floor(size / 2) + 1].map((position) => largest(values, position));
  return {
    estimate: ((upper ?? 0) + (lower ?? 0)) / 2,
    upperBound: fromTop > 0 && fromTop <= size ? largest(values, fromTop) : Number.POSITIVE_INFINITY,
  };
}

/** The probability of the upper tail in the normal approximation, with a continuity correction towards the null hypothesis. */
function approximateTail(distance: number, variance: number): number {
  return variance === 0 ? 1 : normalTail((distance - 0.5) / Math.sqrt(variance));
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** The probability that a standard normal variable is at least `z`. The relative error is below 1.2e-7. */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * x);
  const series = ERFC.reduceRight((sum, coefficient) => coefficient + t * sum, 0);
  const tail = (t * Math.exp(-x * x + series)) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/** Chebyshev coefficients of the complementary error function. */
const ERFC = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];

/** The standard score that a standard normal variable exceeds with this probability. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-40, 40];
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
