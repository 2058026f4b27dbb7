import { HUB_NAMESPACE, KIND_DEFINITIONS, customResourceDefinition, decisionPolicies } from '@outrigger/api';
import { type KubeObject, apiVersionOf } from '@outrigger/core';
import { JOIN_NAMESPACE, WEBHOOK_CONFIGURATION, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@outrigger/hub';
import { annotationGuard } from './annotation-guard.js';
import { managerGuard } from './guard.js';
import { ownerGuard } from './owner-guard.js';
import { rolesForPeople } from './people.js';
import {
  AGGREGATED_ROLES,
  JOIN_NAMESPACE_RULES,
  MANAGER_NAMESPACE_RULES,
  MANAGER_RULES,
  TOKEN_ROLE,
  TOKEN_RULES,
  clusterRoleBinding,
  role,
  roleBinding,
} from './rights.js';
import { aggregatedRole, clusterRole } from './cluster-role.js';
import { namespaceObject, serviceAccount, workload } from './workload.js';

export interface HubInstallOptions {
  readonly image: string;
  readonly namespace?: string;
  readonly replicas?: number;
  /** Whether add-ons may authenticate with tokens. The manager may then create tokens for every ServiceAccount. */
  readonly hasTokens?: boolean;
}

/** The ServiceAccount of the manager. Most objects that are installed for the manager have the same name. */
export const HUB_ACCOUNT = 'outrigger-hub';
const NAME = HUB_ACCOUNT;
const WEBHOOK_PORT = 9443;

/** Returns the CustomResourceDefinitions of our kinds. */
export function hubDefinitions(): readonly KubeObject[] {
  return KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind) as unknown as KubeObject);
}

/** Returns all objects except the CustomResourceDefinitions, in the order in which they must be applied. */
export function hubManifests(options: HubInstallOptions): readonly KubeObject[] {
  return [...hubRights(options), ...hubPrograms(options)];
}

/** Returns the manager's account and its permissions, and the roles for users. */
export function hubRights({ namespace = HUB_NAMESPACE, hasTokens = false }: Omit<HubInstallOptions, 'image'>): readonly KubeObject[] {
  const account = { namespace, name: NAME };
  return [
    namespaceObject(namespace),
    serviceAccount(NAME, namespace),
    clusterRole(NAME, MANAGER_RULES),
    clusterRoleBinding(NAME, NAME, account),
    ...AGGREGATED_ROLES.flatMap((name) => [aggregatedRole(name), clusterRoleBinding(name, name, account)]),
    clusterRole(TOKEN_ROLE, TOKEN_RULES),
    ...(hasTokens ? [clusterRoleBinding(TOKEN_ROLE, TOKEN_ROLE, account)] : []),
    role(NAME, namespace, MANAGER_NAMESPACE_RULES),
    roleBinding(NAME, NAME, account),
    namespaceObject(JOIN_NAMESPACE),
    role(NAME, JOIN_NAMESPACE, JOIN_NAMESPACE_RULES),
    { ...roleBinding(NAME, NAME, account), metadata: { name: NAME, namespace: JOIN_NAMESPACE } },
    ...managerGuard(NAME, account),
    ...decisionPolicies(),
    ...annotationGuard(),
    ...ownerGuard(),
    ...rolesForPeople(),
  ];
}

/** Returns the manager's Deployment, and the Service and webhook configurations through which the API server reaches it. */
function hubPrograms({ image, namespace = HUB_NAMESPACE, replicas = 2 }: HubInstallOptions): readonly KubeObject[] {
  return [
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
    // The manager updates these webhook configurations and may not create others. They are last in the list, so that `uninstall` deletes
    // them first, because the API server must not call a deleted manager.
    ...[validatingWebhookConfigurations, mutatingWebhookConfigurations].map((kind) => ({
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name: WEBHOOK_CONFIGURATION },
    })),
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

/** Returns a PodDisruptionBudget that allows a node drain to evict one manager at a time, so that another replica can become the leader. */
function disruptionBudget(namespace: string): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: NAME, namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'outrigger' } } },
  } as KubeObject;
}
