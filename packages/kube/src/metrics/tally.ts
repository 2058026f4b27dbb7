import type { Gauge, MetricDefinition, MetricLabels, Metrics, Projected } from '@outrigger/core';
import type { Change } from '../controller.js';
import type { Resource } from '../resource.js';

/**
 * A gauge that sums the values of the cached projections of a resource by labels, or shows their minimum. The cost of a change does not
 * depend on the size of the cache, unless the change removes the minimum, and a scrape never iterates over the projections.
 */
export interface Tally<P extends Projected = Projected, L extends string = string> {
  readonly resource: Resource<P>;
  readonly gauge: MetricDefinition<L>;
  /**
   * Returns the series to which a projection contributes. This must be a pure function of the projection, because the contribution of an
   * old projection is removed by calling the function again.
   */
  readonly series: (projection: P) => readonly Share<L>[];
  /** Whether the gauge shows the minimum of the values of the projections instead of their sum, for example the earliest expiry time. */
  readonly isLeast?: true;
}

/** The amount that one projection adds to one series. */
export interface Share<L extends string = string> {
  readonly labels: MetricLabels<L>;
  readonly value: number;
}

/** Erases the types of a tally's projections and labels, so that a manager can use it. */
export function tally<P extends Projected, L extends string>(definition: Tally<P, L>): Tally {
  return definition as unknown as Tally;
}

interface Sum {
  readonly labels: MetricLabels<string>;
  value: number;
  /** The number of projections that add to the series. A series without projections is removed, so that it is not reported forever. */
  projections: number;
  /** The number of projections with each value. Used only for gauges that show the minimum. */
  readonly values: Map<number, number>;
  /** The minimum of `values`; undefined if it must be computed again, because the minimum was removed. */
  least: number | undefined;
}

/** Keeps one gauge up to date with the cache. */
export class TallyGauge {
  readonly #tally: Tally;
  readonly #gauge: Gauge;
  readonly #sums = new Map<string, Sum>();

  constructor(tally: Tally, metrics: Metrics) {
    this.#tally = tally;
    this.#gauge = metrics.gauge(tally.gauge);
  }

  get resource(): Resource {
    return this.#tally.resource;
  }

  apply({ before, after }: Change<Projected>): void {
    const touched = new Map<string, Sum>();
    for (const share of before ? this.#tally.series(before) : []) this.#add(share, -1, touched);
    for (const share of after ? this.#tally.series(after) : []) this.#add(share, 1, touched);
    for (const [id, sum] of touched) {
      if (sum.projections > 0) {
        this.#gauge.set(sum.labels, this.#tally.isLeast ? leastOf(sum) : sum.value);
      } else {
        this.#sums.delete(id);
        this.#gauge.remove(sum.labels);
      }
    }
  }

  #add({ labels, value }: Share, sign: 1 | -1, touched: Map<string, Sum>): void {
    const id = this.#tally.gauge.labels.map((label) => labels[label]).join('\0');
    const sum = this.#sums.get(id) ?? { labels, value: 0, projections: 0, values: new Map<number, number>(), least: undefined };
    sum.value += sign * value;
    sum.projections += sign;
    if (this.#tally.isLeast) {
      const count = (sum.values.get(value) ?? 0) + sign;
      if (count > 0) {
        sum.values.set(value, count);
        if (sum.least !== undefined && value < sum.least) sum.least = value;
      } else {
        sum.values.delete(value);
        if (value === sum.least) sum.least = undefined;
      }
    }
    this.#sums.set(id, sum);
    touched.set(id, sum);
  }
}

function leastOf(sum: Sum): number {
  if (sum.least === undefined) {
    sum.least = Number.POSITIVE_INFINITY;
    for (const value of sum.values.keys()) sum.least = Math.min(sum.least, value);
  }
  return sum.least;
}
