import type { SeededRandom } from '@outrigger/core';

/** What a record keeps of the durations of its moves, in seconds. */
export interface DurationSummary {
  /** The number of moves. */
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
}

/** Returns the excess of one move over the median, in seconds, for a share in [0, 1) of the moves that take longer than the median. */
export type Tail = (share: number) => number;

interface Candidate {
  /** The form of the tail: durations below 0 have a bound, at 0 they decrease exponentially, above 0 long moves are frequent. */
  readonly form: number;
  readonly scale: number;
}

/** The forms that are considered, all equally likely before the record is seen. */
const FORMS: readonly number[] = Array.from({ length: 29 }, (_, i) => (i - 20) / 10);
/** The scales that are considered, relative to the excess of the ninth decile over the median. */
const SCALES: readonly number[] = Array.from({ length: 33 }, (_, i) => Math.exp(-1.6 + i / 10));
/** Times are recorded in whole seconds, so two values are at least this far apart. */
const RESOLUTION = 0.5;

/**
 * The durations above the median, as a generalized Pareto distribution. Two recorded values, the ninth decile and the longest move, do not
 * determine its form and its scale, so each run draws both by how well they explain the record. A run that is drawn this way is as uncertain
 * about the longest move as the record is: close to the recorded maximum if durations have a bound, far beyond it if they do not.
 */
export class TailPosterior {
  readonly #candidates: readonly Candidate[];
  /** The cumulated weights of the candidates. */
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

interface Observed {
  /** The number of moves above the median. */
  readonly above: number;
  /** The rank of the ninth decile among them, from 1; not below `above` if it is the longest. */
  readonly rank: number;
  readonly excess90: number;
  readonly longest: number;
}

/** The joint density of two order statistics: the one of this rank, and the longest. */
function logLikelihood(candidate: Candidate, { above, rank, excess90, longest }: Observed): number {
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

/** The share of moves above the median that exceed it by more than this. */
function survival({ form, scale }: Candidate, excess: number): number {
  if (form === 0) return Math.exp(-excess / scale);
  const base = 1 + (form * excess) / scale;
  return base <= 0 ? 0 : base ** (-1 / form);
}

function logDensity({ form, scale }: Candidate, excess: number): number {
  if (form === 0) return -excess / scale - Math.log(scale);
  return (-1 / form - 1) * Math.log(1 + (form * excess) / scale) - Math.log(scale);
}
