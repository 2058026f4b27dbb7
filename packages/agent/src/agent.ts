import type { Runtime, Metrics } from '@outrigger/core';
import { type Client, type Manager, createManager, watch } from '@outrigger/kube';
import { type IdentityOptions, createIdentity } from './identity.js';
import { INSTALL_NAMESPACES_CONTROLLER, installNamespacesController } from './install-namespaces/controller.js';
import { MissingKinds } from './missing-kinds.js';
import { addOnNamespaces } from './resources/add-on-namespaces.js';
import { CLUSTER, HUB } from './resources/apis.js';
import { type WorkOptions, createWork } from './work/index.js';

/** The part of an agent's duties that this process performs; upstream's agents may run as two processes. */
export type AgentRoles = 'all' | 'work' | 'registration';

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
  /** Default: everything. */
  readonly roles?: AgentRoles;
  /** How the agent applies works and reports on them. */
  readonly work?: Pick<WorkOptions, 'evictionGraceMs' | 'rawFeedbackJson' | 'maxJsonLength' | 'mostWatches'>;
}

/**
 * The agent of a managed cluster: applies its works, keeps the credentials and checks the health of the cluster and its add-ons, and
 * reports to the hub.
 */
export function createAgent(options: AgentOptions): Manager {
  const { runtime, hub, cluster, clusterName, hubServer, agentId, roles = 'all' } = options;
  const work = createWork({ runtime, cluster, clusterName, hubServer, agentId, ...options.work });
  const missing = new MissingKinds();
  const identity = createIdentity({ ...options, missing });
  const { addOns, ownCluster } = identity;
  const installNamespaces = installNamespacesController({ clusterName, addOns, ownCluster, works: work.works });
  const manager: Manager = createManager({
    runtime,
    apis: { [HUB]: hub, [CLUSTER]: cluster },
    controllers: [
      ...(roles === 'registration' ? [] : [...work.controllers, installNamespaces]),
      ...(roles === 'work' ? [] : identity.controllers),
    ],
    component: 'outrigger-agent',
    startsEachAlone: true,
    onTrouble: (trouble) => {
      missing.note(trouble);
      const { resource, problem, controllers } = trouble;
      if (problem === undefined) runtime.log.info({ kind: resource.kind.plural, api: resource.api, controllers }, 'kind can be read again');
      else
        runtime.log.warn(
          { kind: resource.kind.plural, api: resource.api, problem, controllers },
          'kind cannot be read, going on without it',
        );
      identity.look();
    },
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  work.attach(manager);
  if (roles !== 'registration') watchAddOnNamespaces(manager, clusterName);
  if (roles !== 'work') identity.attach(manager);
  return Object.create(manager, {
    stop: {
      value: async (graceMs?: number): Promise<void> => {
        await manager.stop(graceMs);
        work.close();
      },
    },
  }) as Manager;
}

/** Added while running, because an agent that may not read namespaces still does everything else. */
function watchAddOnNamespaces(manager: Manager, clusterName: string): void {
  const own = { name: clusterName };
  manager.watch(
    INSTALL_NAMESPACES_CONTROLLER,
    watch(addOnNamespaces, () => [own]),
    () => manager.enqueue(INSTALL_NAMESPACES_CONTROLLER, own),
  );
}
