import type { MetricDefinition, Metrics } from '@outrigger/core';
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';

export interface PrometheusMetrics extends Metrics {
  /** The response to `/metrics`. */
  scrape(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Metrics in a registry. Components that define the same metric share it, so that several clients in one process are counted together. */
export function createPrometheusMetrics(registry: Registry = new Registry()): PrometheusMetrics {
  function shared<M extends Metric>(name: string, make: () => M): M {
    return (registry.getSingleMetric(name) as M | undefined) ?? make();
  }
  const settings = <L extends string>({ name, help, labels }: MetricDefinition<L>) => ({
    name,
    help,
    labelNames: labels,
    registers: [registry],
  });
  return {
    counter(definition) {
      const counter = shared(definition.name, () => new Counter(settings(definition)));
      return { add: (labels, by = 1) => counter.inc(labels, by) };
    },
    gauge(definition) {
      const gauge = shared(definition.name, () => new Gauge(settings(definition)));
      return { set: (labels, value) => gauge.set(labels, value), remove: (labels) => gauge.remove(labels) };
    },
    histogram(definition) {
      const histogram = shared(definition.name, () => new Histogram({ ...settings(definition), buckets: [...definition.buckets] }));
      return { observe: (labels, value) => histogram.observe(labels, value) };
    },
    scrape: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
