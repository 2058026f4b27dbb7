import { HUB_NAMESPACE, KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import {
  AGGREGATED_ROLES,
  MANAGER_NAMESPACE_RULES,
  MANAGER_RULES,
  aggregatedRole,
  clusterRole,
  clusterRoleBinding,
  role,
  roleBinding,
} from './rights.js';
import { namespaceObject, serviceAccount, workload } from './workload.js';

export interface HubInstallOptions {
  readonly image: string;
  readonly namespace?: string;
  readonly replicas?: number;
}

const NAME = 'outrigger-hub';
const WEBHOOK_PORT = 9443;

/** The kinds alone. */
export function hubDefinitions(): readonly KubeObject[] {
  return KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind) as unknown as KubeObject);
}

/** Everything but the kinds, in the order it must be applied. */
export function hubManifests({ image, namespace = HUB_NAMESPACE, replicas = 2 }: HubInstallOptions): readonly KubeObject[] {
  const account = { namespace, name: NAME };
  return [
    namespaceObject(namespace),
    serviceAccount(NAME, namespace),
    clusterRole(NAME, MANAGER_RULES),
    clusterRoleBinding(NAME, NAME, account),
    ...AGGREGATED_ROLES.flatMap((name) => [aggregatedRole(name), clusterRoleBinding(name, name, account)]),
    role(NAME, namespace, MANAGER_NAMESPACE_RULES),
    roleBinding(NAME, NAME, account),
    webhookService(namespace),
    workload({
      name: NAME,
      namespace,
      image,
      replicas,
      args: ['hub', '--namespace', namespace, '--metrics-port', '8080', '--webhook-port', String(WEBHOOK_PORT)],
      ports: { metrics: 8080, webhook: WEBHOOK_PORT },
      memory: '256Mi',
    }),
    disruptionBudget(namespace),
  ];
}

function webhookService(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'outrigger-webhook', namespace },
    spec: {
      selector: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'outrigger' },
      ports: [{ port: 443, targetPort: 'webhook' }],
    },
  } as KubeObject;
}

/** A drain may take one manager at a time: the other leads on. */
function disruptionBudget(namespace: string): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: NAME, namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'outrigger' } } },
  } as KubeObject;
}
