import type { Metrics } from '@outrigger/core';

/** The outcome of a pass. `stale`: the cache was stale. `refused`: the server rejected the content. `failed`: any other failure. */
export type PassOutcome = 'idle' | 'acted' | 'partial' | 'stale' | 'refused' | 'failed' | 'stopped';

export interface RuntimeMetrics {
  queueDepth(controller: string, depth: number): void;
  /** `durationMs` is the time from the start of observe to the last response. */
  pass(controller: string, outcome: PassOutcome, durationMs: number): void;
  mapperFailure(controller: string, resource: string): void;
  projectionFailure(resource: string): void;
  cachedProjections(resource: string, count: number): void;
}

const DURATION_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30] as const;

export function createRuntimeMetrics(metrics: Metrics): RuntimeMetrics {
  const depth = metrics.gauge({ name: 'outrigger_queue_depth', help: 'Keys waiting for a pass.', labels: ['controller'] });
  const passes = metrics.counter({
    name: 'outrigger_reconcile_total',
    help: 'Passes by controller and how they ended.',
    labels: ['controller', 'outcome'],
  });
  const durations = metrics.histogram({
    name: 'outrigger_reconcile_duration_seconds',
    help: 'Time from observing a key to the last answer to its actions.',
    labels: ['controller'],
    buckets: DURATION_BUCKETS,
  });
  const mappers = metrics.counter({
    name: 'outrigger_mapper_failures_total',
    help: 'Changes that could not be mapped to a work item because the mapper threw.',
    labels: ['controller', 'resource'],
  });
  const projections = metrics.counter({
    name: 'outrigger_projection_failures_total',
    help: 'Objects that could not be cached because their projection threw.',
    labels: ['resource'],
  });
  const records = metrics.gauge({ name: 'outrigger_cache_records', help: 'Records held per resource.', labels: ['resource'] });
  return {
    queueDepth: (controller, value) => depth.set({ controller }, value),
    pass: (controller, outcome, durationMs) => {
      passes.add({ controller, outcome });
      durations.observe({ controller }, durationMs / 1000);
    },
    mapperFailure: (controller, resource) => mappers.add({ controller, resource }),
    projectionFailure: (resource) => projections.add({ resource }),
    cachedProjections: (resource, count) => records.set({ resource }, count),
  };
}
