/**
 * The metrics that a component writes. Their names follow the conventions of Prometheus. Simulations pass `noMetrics`, so that they use no
 * registry.
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

export type MetricLabels<L extends string> = Readonly<Record<L, string>>;

export interface Counter<L extends string = string> {
  add(labels: MetricLabels<L>, by?: number): void;
}

export interface Gauge<L extends string = string> {
  set(labels: MetricLabels<L>, value: number): void;
  /** Removes one series, so that a deleted object is no longer reported. */
  remove(labels: MetricLabels<L>): void;
}

export interface Histogram<L extends string = string> {
  /** Records a value. Durations are in seconds. */
  observe(labels: MetricLabels<L>, value: number): void;
}

const nothing = (): void => undefined;

export const noMetrics: Metrics = {
  counter: () => ({ add: nothing }),
  gauge: () => ({ set: nothing, remove: nothing }),
  histogram: () => ({ observe: nothing }),
};
