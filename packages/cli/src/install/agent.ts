import { AGENT_NAMESPACE, KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS, customResourceDefinition } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { clusterRoleBinding } from './rights.js';
import { namespaceObject, serviceAccount, workload } from './workload.js';

export interface AgentInstallOptions {
  readonly clusterName: string;
  readonly image: string;
}

const NAME = 'outrigger-agent';

/** Returns the objects that a managed cluster needs, except the bootstrap Secret, which is created for one cluster and used once. */
export function agentManifests({ clusterName, image }: AgentInstallOptions): readonly KubeObject[] {
  const account = { namespace: AGENT_NAMESPACE, name: NAME };
  return [
    ...KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind)).map(
      (kind) => customResourceDefinition(kind) as unknown as KubeObject,
    ),
    namespaceObject(AGENT_NAMESPACE),
    serviceAccount(NAME, AGENT_NAMESPACE),
    // Templates may contain any manifests, so the agent must be able to apply any object. A work can name an executor with fewer
    // permissions.
    clusterRoleBinding(NAME, 'cluster-admin', account),
    workload({
      name: NAME,
      namespace: AGENT_NAMESPACE,
      image,
      replicas: 1,
      args: ['agent', '--cluster-name', clusterName, '--metrics-port', '8080'],
      ports: { metrics: 8080 },
      memory: '128Mi',
    }),
  ];
}
