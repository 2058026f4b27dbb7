import type { SeededRandom } from '@outrigger/core';

/** The durations of moves, in seconds, in the form in which a record summarizes them. */
export interface DurationSummary {
  /** The number of moves. */
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
}

/**
 * A quantile function of slow moves, which take longer than the median. It returns the time in seconds by which a slow move exceeds the
 * median.
 */
export type Tail = (share: number) => number;

interface Candidate {
  /**
   * The shape parameter. If it is negative, durations are bounded; at 0 they decrease exponentially; if it is positive, long moves are
   * frequent.
   */
  readonly form: number;
  readonly scale: number;
}

/** The candidate shapes, all equally likely before the record is seen. */
const FORMS: readonly number[] = Array.from({ length: 29 }, (_, i) => (i - 20) / 10);
/** The candidate scales, relative to the distance between the median and the 90th percentile. */
const SCALES: readonly number[] = Array.from({ length: 33 }, (_, i) => Math.exp(-1.6 + i / 10));
/** The minimum distance, in seconds, that is assumed between two recorded values, because times are recorded in whole seconds. */
const RESOLUTION = 0.5;

/**
 * The durations above the median, as a generalized Pareto distribution. Two recorded values, the 90th percentile and the longest move, do
 * not determine its shape and scale, so each run draws a shape and a scale, weighted by how well they explain the record. The longest move
 * of the runs is therefore as uncertain as the record leaves it: it stays close to the recorded maximum if durations are bounded, and may
 * exceed that maximum by far if they are not.
 */
export class TailPosterior {
  readonly #candidates: readonly Candidate[];
  /** The cumulative weights of the candidates. */
  readonly #cumulated: readonly number[];

  constructor({ count, p50, p90, max }: DurationSummary) {
    const excess90 = Math.max(p90 - p50, 0.05 * p50, RESOLUTION);
    const longest = Math.max(max - p50, excess90 + RESOLUTION);
    const candidates = FORMS.flatMap((form) => SCALES.map((scale) => ({ form, scale: scale * excess90 })));
    const above = Math.max(1, count - Math.ceil(count / 2));
    const rank = Math.ceil(0.9 * count) - Math.ceil(count / 2);
    const logs = candidates.map((one) => logLikelihood(one, { above, rank, excess90, longest }));
    const best = Math.max(...logs);
    let sum = 0;
    this.#candidates = candidates;
    this.#cumulated = logs.map((log) => (sum += Math.exp(log - best)));
  }

  draw(random: SeededRandom): Tail {
    const at = random.next() * (this.#cumulated.at(-1) ?? 0);
    const { form, scale } = this.#candidates[this.#cumulated.findIndex((sum) => sum > at)] as Candidate;
    if (form === 0) return (share) => -scale * Math.log(1 - share);
    return (share) => (scale / form) * ((1 - share) ** -form - 1);
  }
}

interface LongMoves {
  /** The number of moves that take longer than the median. */
  readonly above: number;
  /**
   * The rank of the 90th percentile among the moves that take longer than the median, starting at 1. If the rank is at least `above`, the
   * 90th percentile is the longest move.
   */
  readonly rank: number;
  readonly excess90: number;
  readonly longest: number;
}

/** The logarithm of the joint density of two order statistics: the move with the given rank, and the longest move. */
function logLikelihood(candidate: Candidate, { above, rank, excess90, longest }: LongMoves): number {
  const far = survival(candidate, longest);
  if (far <= 0) return Number.NEGATIVE_INFINITY;
  const last = logDensity(candidate, longest);
  if (rank < 1 || rank >= above) return (above - 1) * Math.log(1 - far) + last;
  const near = survival(candidate, excess90);
  if (near <= far) return Number.NEGATIVE_INFINITY;
  const below = rank > 1 ? (rank - 1) * Math.log(1 - near) : 0;
  const between = above - rank - 1 > 0 ? (above - rank - 1) * Math.log(near - far) : 0;
  return below + logDensity(candidate, excess90) + between + last;
}

/** The share of the moves above the median that exceed the median by more than `excess`. */
function survival({ form, scale }: Candidate, excess: number): number {
  if (form === 0) return Math.exp(-excess / scale);
  const base = 1 + (form * excess) / scale;
  return base <= 0 ? 0 : base ** (-1 / form);
}

function logDensity({ form, scale }: Candidate, excess: number): number {
  if (form === 0) return -excess / scale - Math.log(scale);
  return (-1 / form - 1) * Math.log(1 + (form * excess) / scale) - Math.log(scale);
}
