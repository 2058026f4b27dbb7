import { type Shift, type TestResult, shiftAgainstPast, shiftAgainstPeers, testAgainstPast, testAgainstPeers } from './statistics.js';

/** Judges whether a metric got worse on moved clusters: one sample per cluster, its value now minus its value just before its admission. */

/** One cluster's series. A value that is missing or not a number is undefined. */
export interface Sample {
  readonly before: number | undefined;
  readonly now: number | undefined;
}

export interface Comparison {
  readonly worse: 'Higher' | 'Lower';
  /** The shift, in the metric's unit, that counts as equal. */
  readonly tolerance: number;
  readonly confidence: number;
  /** Fewer samples than this, of moved clusters or of peers, decide nothing. */
  readonly minSamples: number;
  /** How often this rollout looks at its analyses, and how many it has: the rate of false alarms is divided among them. */
  readonly looks: number;
  readonly analyses: number;
}

export interface ComparisonVerdict {
  readonly result: 'Pass' | 'Fail' | 'Inconclusive';
  /** True if no values of so few clusters could pass or fail: another criterion may decide. */
  readonly isTooFew: boolean;
  readonly basis: 'peers' | 'past';
  readonly samples: number;
  readonly p: number;
  readonly shift: Shift;
}

/** Compares moved clusters with peers still on the old revision; if too few peers are left, each cluster with its own past. */
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

/** A moved cluster whose series vanished ranks worst. A cluster without a value from before says nothing. */
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
