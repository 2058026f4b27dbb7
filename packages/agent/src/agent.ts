import type { Runtime, Metrics } from '@outrigger/core';
import { type Client, type Manager, createManager } from '@outrigger/kube';
import { type IdentityOptions, identityControllers } from './identity.js';
import { installNamespacesController } from './install-namespaces/controller.js';
import { MissingKinds } from './missing-kinds.js';
import { clusterAddOns } from './resources/add-ons.js';
import { CLUSTER, HUB } from './resources/apis.js';
import { ownCluster } from './resources/own-cluster.js';
import { works } from './resources/works.js';
import { type WorkOptions, createWork } from './work/create-work.js';

/** The roles of an agent that this process performs. Upstream's agent may run as two processes. */
export type AgentRoles = 'all' | 'work' | 'registration';

export interface AgentOptions extends Pick<IdentityOptions, 'hubEndpoint' | 'namespace' | 'addOnApiVersion' | 'settings' | 'own'> {
  readonly runtime: Runtime;
  /** The client for the hub, with the credentials of this cluster. */
  readonly hub: Client;
  /** The client for the managed cluster on which the agent runs. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly hubServer: string;
  readonly agentId: string;
  readonly metrics?: Metrics;
  /** Default: all roles. */
  readonly roles?: AgentRoles;
  /** The options of the controllers that apply works and report on them. */
  readonly work?: Pick<WorkOptions, 'evictionGraceMs' | 'rawFeedbackJson'>;
}

/**
 * Creates the agent of a managed cluster. It applies the cluster's works, maintains the credentials and checks the health of the cluster
 * and its add-ons, and reports to the hub.
 */
export function createAgent(options: AgentOptions): Manager {
  const { runtime, hub, cluster, clusterName, hubServer, agentId, roles = 'all' } = options;
  const missing = new MissingKinds({ name: clusterName });
  const hubWorks = works(clusterName);
  const identity = {
    clusterAddOns: clusterAddOns(clusterName, options.addOnApiVersion ?? 'v1alpha1'),
    ownCluster: ownCluster(clusterName),
  };
  return createManager({
    runtime,
    apis: { [HUB]: hub, [CLUSTER]: cluster },
    controllers: [
      ...(roles === 'registration'
        ? []
        : [
            ...createWork({ runtime, cluster, clusterName, hubServer, agentId, ...options.work }, hubWorks),
            installNamespacesController({ clusterName, ...identity, works: hubWorks }),
          ]),
      ...(roles === 'work' ? [] : identityControllers({ ...options, ...identity, missing })),
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
          'kind cannot be read; continuing without it',
        );
    },
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
}
