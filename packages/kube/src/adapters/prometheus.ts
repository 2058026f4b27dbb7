import type { Counter, Gauge, Histogram, MetricDefinition, Metrics } from '@outrigger/core';

export interface PrometheusMetrics extends Metrics {
  /** The answer to `/metrics`. */
  scrape(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics kept in memory. Components that define the same metric share it: several clients of one process count together. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const metrics = new Map<string, { readonly metric: unknown; readonly lines: () => readonly string[] }>();
  function shared<M>({ name, help }: MetricDefinition<string>, type: string, make: () => Written<M>): M {
    const known = metrics.get(name);
    if (known) return known.metric as M;
    const { metric, samples } = make();
    const head = [`# HELP ${name} ${escapedHelp(help)}`, `# TYPE ${name} ${type}`];
    metrics.set(name, { metric, lines: () => [...head, ...samples()] });
    return metric;
  }
  return {
    counter: (definition) => shared(definition, 'counter', () => counter(definition)),
    gauge: (definition) => shared(definition, 'gauge', () => gauge(definition)),
    histogram: (definition) => shared(definition, 'histogram', () => histogram(definition)),
    scrape: async () => ({
      contentType: CONTENT_TYPE,
      body: [...metrics.values()].map(({ lines }) => `${lines().join('\n')}\n`).join('\n'),
    }),
  };
}

/** A metric and the lines of its samples, one per series. */
interface Written<M> {
  readonly metric: M;
  readonly samples: () => readonly string[];
}

function counter<L extends string>(definition: MetricDefinition<L>): Written<Counter<L>> {
  const { series, seriesOf } = values(definition);
  return {
    metric: { add: (labels, by = 1) => void series.set(seriesOf(labels), (series.get(seriesOf(labels)) ?? 0) + by) },
    samples: () => [...series].map(([labels, value]) => sample(definition.name, labels, value)),
  };
}

function gauge<L extends string>(definition: MetricDefinition<L>): Written<Gauge<L>> {
  const { series, seriesOf } = values(definition);
  return {
    metric: { set: (labels, value) => void series.set(seriesOf(labels), value), remove: (labels) => void series.delete(seriesOf(labels)) },
    samples: () => [...series].map(([labels, value]) => sample(definition.name, labels, value)),
  };
}

/** Numbers by series. A metric without labels has its one series from the start. */
function values<L extends string>({
  labels: names,
}: MetricDefinition<L>): {
  readonly series: Map<string, number>;
  readonly seriesOf: (labels: Readonly<Record<L, string>>) => string;
} {
  return { series: new Map(names.length === 0 ? [['', 0]] : []), seriesOf: (labels) => labelText(names, labels) };
}

interface Distribution {
  /** How many observations each bucket has, without those of smaller buckets. */
  readonly counts: number[];
  sum: number;
  count: number;
}

function histogram<L extends string>({
  name,
  labels: names,
  buckets,
}: MetricDefinition<L> & { readonly buckets: readonly number[] }): Written<Histogram<L>> {
  const series = new Map<string, Distribution>();
  const of = (key: string): Distribution => {
    const known = series.get(key) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 };
    series.set(key, known);
    return known;
  };
  if (names.length === 0) of('');
  return {
    metric: {
      observe(labels, value) {
        const distribution = of(labelText(names, labels));
        distribution.sum += value;
        distribution.count++;
        const bucket = buckets.findIndex((limit) => value <= limit);
        if (bucket >= 0) distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
      },
    },
    samples: () =>
      [...series].flatMap(([labels, { counts, sum, count }]) => {
        let below = 0;
        const limited = buckets.map((limit, index) => {
          below += counts[index] ?? 0;
          return sample(`${name}_bucket`, joined(`le="${number(limit)}"`, labels), below);
        });
        return [
          ...limited,
          sample(`${name}_bucket`, joined('le="+Inf"', labels), count),
          sample(`${name}_sum`, labels, sum),
          sample(`${name}_count`, labels, count),
        ];
      }),
  };
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${number(value)}`;
}

function joined(label: string, labels: string): string {
  return labels === '' ? label : `${label},${labels}`;
}

function labelText<L extends string>(names: readonly L[], labels: Readonly<Record<L, string>>): string {
  return names.map((name) => `${name}="${escapedValue(String(labels[name]))}"`).join(',');
}

function escapedValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** Numbers as the text format writes them. */
function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
