import type { Runtime } from '@outrigger/core';
import { type Client, type Controller, type Manager, type Metrics, createManager } from '@outrigger/kube';
import { LiveObjects } from './live/live-objects.js';
import { CLUSTER, HUB } from './resources/apis.js';
import { workController } from './work/controller.js';
import { ClusterKinds } from './work/kinds.js';

export interface AgentOptions {
  readonly runtime: Runtime;
  /** The hub, as this cluster. */
  readonly hub: Client;
  /** The managed cluster itself. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly hubServer: string;
  readonly agentId: string;
  readonly metrics?: Metrics;
}

/** The managed cluster's side: applies its works and reports on them. */
export function createAgent(options: AgentOptions): Manager {
  const { runtime, hub, cluster, clusterName } = options;
  const live = new LiveObjects({
    client: cluster,
    runtime,
    changed: (names) => {
      for (const name of names) manager.enqueue('work', { namespace: clusterName, name });
    },
  });
  const kinds = new ClusterKinds(cluster);
  const controllers = [
    workController({ clusterName, hubServer: options.hubServer, agentId: options.agentId, live, kinds }),
  ] as readonly Controller<unknown>[];
  const manager = createManager({
    runtime,
    apis: { [HUB]: hub, [CLUSTER]: cluster },
    controllers,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  return manager;
}
