/**
 * What a component counts, without knowing who scrapes it. Names follow Prometheus. The virtual runtime passes `noMetrics`, so that
 * simulations touch no registry.
 */
export interface Metrics {
  counter<L extends string>(definition: MetricDefinition<L>): Counter<L>;
  gauge<L extends string>(definition: MetricDefinition<L>): Gauge<L>;
  histogram<L extends string>(definition: MetricDefinition<L> & { readonly buckets: readonly number[] }): Histogram<L>;
}

export interface MetricDefinition<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

export type Labels<L extends string> = Readonly<Record<L, string>>;

export interface Counter<L extends string = string> {
  add(labels: Labels<L>, by?: number): void;
}

export interface Gauge<L extends string = string> {
  set(labels: Labels<L>, value: number): void;
  /** Forgets one series, so that what is gone is not reported for ever. */
  remove(labels: Labels<L>): void;
}

export interface Histogram<L extends string = string> {
  /** Durations are observed in seconds, as Prometheus wants them. */
  observe(labels: Labels<L>, value: number): void;
}

const nothing = (): void => undefined;

export const noMetrics: Metrics = {
  counter: () => ({ add: nothing }),
  gauge: () => ({ set: nothing, remove: nothing }),
  histogram: () => ({ observe: nothing }),
};
