import type { Runtime } from '@outrigger/core';
import { type HealthCheck, type Manager, createEndpoints, unreadableKinds } from '@outrigger/kube';
import { type PrometheusMetrics, serveEndpoints } from '@outrigger/kube/node';

export interface Served {
  readonly runtime: Runtime;
  readonly metrics: PrometheusMetrics;
  /** The port for probes and metrics; 0 opens no port. */
  readonly metricsPort: number;
  readonly health?: readonly HealthCheck[];
  readonly readiness: readonly HealthCheck[];
}

/** Opens the port for probes and metrics. Returns a function that closes the port. */
export async function serveHealth({ runtime, metrics, metricsPort, health = [], readiness }: Served): Promise<() => Promise<void>> {
  if (metricsPort === 0) return async () => undefined;
  const endpoints = createEndpoints({ runtime, health, readiness, metrics: () => metrics.scrape() });
  const server = await serveEndpoints(endpoints, runtime, { port: metricsPort });
  runtime.log.info({ port: server.port }, 'serving health and metrics');
  return () => server.close();
}

/**
 * Returns a readiness check that succeeds as soon as the caches are complete, even on a replica that is not the leader. Kinds that the hub
 * does not serve, or that the manager may not read, do not affect readiness, because controllers and webhooks that do not need them still
 * work.
 */
export function cachesComplete(manager: () => Manager | undefined): HealthCheck {
  return {
    name: 'caches',
    problem: () => (manager()?.hasReadAll ? undefined : 'the caches are not complete yet'),
    note: () => {
      const missing = unreadableKinds(manager()?.troubles ?? []);
      return missing.length === 0 ? undefined : missing.join('; ');
    },
  };
}
