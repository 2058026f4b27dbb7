import { type Shift, type TestResult, shiftAgainstPast, shiftAgainstPeers, testAgainstPast, testAgainstPeers } from './statistics.js';

/**
 * Judges whether a metric got worse on moved clusters. Each cluster contributes one sample: its value now minus its value just before its
 * admission.
 */

/** The values of one cluster. A value is undefined if it is missing or not a number. */
export interface Sample {
  readonly before: number | undefined;
  readonly now: number | undefined;
}

export interface Comparison {
  readonly worse: 'Higher' | 'Lower';
  /** Shifts up to this size, in the metric's unit, are treated as no change. */
  readonly tolerance: number;
  readonly confidence: number;
  /** The minimum number of samples, both of moved clusters and of peers. With fewer samples the comparison has no result. */
  readonly minSamples: number;
  /** The number of measurements per analysis, and the number of analyses. The accepted false-alarm rate is divided by their product. */
  readonly looks: number;
  readonly analyses: number;
}

export interface ComparisonVerdict {
  readonly result: 'Pass' | 'Fail' | 'Inconclusive';
  /** Whether there are too few clusters to compare. If so, another criterion of the analysis may still decide. */
  readonly isTooFew: boolean;
  readonly basis: 'peers' | 'past';
  readonly samples: number;
  readonly p: number;
  readonly shift: Shift;
}

/**
 * Compares the moved clusters with peers that still have the old revision. Each moved cluster is compared with its own earlier value if too
 * few peers are left.
 */
export function judgeComparison(moved: readonly Sample[], peers: readonly Sample[], comparison: Comparison): ComparisonVerdict {
  const { minSamples, confidence, looks, analyses } = comparison;
  const level = (1 - confidence) / Math.max(1, looks * analyses);
  const changes = moved.flatMap((sample) => changeOf(sample, comparison) ?? []);
  const peerChanges = peers.flatMap((sample) => (sample.now === undefined ? [] : (changeOf(sample, comparison) ?? [])));
  const against = (basis: 'peers' | 'past'): ComparisonVerdict => {
    const test = basis === 'peers' ? testAgainstPeers(changes, peerChanges) : testAgainstPast(changes);
    const shift = basis === 'peers' ? shiftAgainstPeers(changes, peerChanges, level) : shiftAgainstPast(changes, level);
    return { ...resultOf(test, shift, { level, tolerance: comparison.tolerance }), basis, samples: changes.length, p: test.p, shift };
  };
  if (changes.length < minSamples) return { ...against('past'), result: 'Inconclusive', isTooFew: true };
  const byPeers = against('peers');
  return peerChanges.length < minSamples || byPeers.isTooFew ? against('past') : byPeers;
}

/** A moved cluster whose series disappeared ranks worst. A cluster without a value from before its move is ignored. */
function changeOf({ before, now }: Sample, { worse }: Comparison): number | undefined {
  if (before === undefined) return undefined;
  if (now === undefined) return Number.POSITIVE_INFINITY;
  return worse === 'Higher' ? now - before : before - now;
}

function resultOf(
  { p, smallestP }: TestResult,
  { upperBound }: Shift,
  { level, tolerance }: { readonly level: number; readonly tolerance: number },
): Pick<ComparisonVerdict, 'result' | 'isTooFew'> {
  if (p <= level) return { result: 'Fail', isTooFew: false };
  if (upperBound <= tolerance) return { result: 'Pass', isTooFew: false };
  return { result: 'Inconclusive', isTooFew: smallestP > level };
}
