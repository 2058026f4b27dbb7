import type { Runtime } from '@outrigger/core';
import { type Client, type Manager, type Metrics, createManager } from '@outrigger/kube';
import { type IdentityOptions, createIdentity } from './identity.js';
import { CLUSTER, HUB } from './resources/apis.js';
import { type WorkOptions, createWork } from './work/index.js';

export interface AgentOptions extends Pick<IdentityOptions, 'hubEndpoint' | 'namespace' | 'addOnApiVersion' | 'settings' | 'own'> {
  readonly runtime: Runtime;
  /** The hub, as this cluster. */
  readonly hub: Client;
  /** The managed cluster itself. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly hubServer: string;
  readonly agentId: string;
  readonly metrics?: Metrics;
  /** How works are applied and reported on. */
  readonly work?: Pick<WorkOptions, 'evictionGraceMs' | 'rawFeedbackJson' | 'maxJsonLength' | 'mostWatches'>;
}

/** The managed cluster's side: applies its works, looks after its own and its add-ons' identity and health, and reports. */
export function createAgent(options: AgentOptions): Manager {
  const { runtime, hub, cluster, clusterName, hubServer, agentId } = options;
  const work = createWork({ runtime, cluster, clusterName, hubServer, agentId, ...options.work });
  const identity = createIdentity(options);
  const manager = createManager({
    runtime,
    apis: { [HUB]: hub, [CLUSTER]: cluster },
    controllers: [...work.controllers, ...identity.controllers],
    component: 'outrigger-agent',
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  work.attach(manager);
  identity.attach(manager);
  return Object.create(manager, {
    stop: {
      value: async (graceMs?: number): Promise<void> => {
        await manager.stop(graceMs);
        work.close();
      },
    },
  }) as Manager;
}
