import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  CLUSTER_LEASE_NAME,
  HUB_NAMESPACE,
  OUTRIGGER_GROUP,
  type PolicyRule,
  WORK_GROUP,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { clusterRole } from '../../../packages/cli/src/install/cluster-role.js';
import { clusterRoleBinding } from '../../../packages/cli/src/install/rights.js';
import { namespaceObject, serviceAccount, workload } from '../../../packages/cli/src/install/workload.js';

const NAME = 'outrigger-console';
const FOLLOW = ['get', 'list', 'watch'];
const PORT = 8443;

/**
 * The permissions of the console's own account: to read the objects that the views show, and to ask the API server about tokens and
 * permissions. It may neither write nor impersonate users, because the console shows objects as YAML and performs actions with the user's
 * token.
 */
export const CONSOLE_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons', 'managedclusteraddons', 'addontemplates'], verbs: FOLLOW },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts', 'rolloutapprovals'], verbs: FOLLOW },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters', 'placements', 'placementdecisions'], verbs: FOLLOW },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['events'], verbs: FOLLOW },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [CLUSTER_LEASE_NAME], verbs: ['get'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: FOLLOW },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

export interface ConsoleInstallOptions {
  readonly image: string;
  /** The name under which browsers reach the console. */
  readonly host: string;
  readonly namespace?: string;
}

/** Returns the account of the console and its permissions. */
export function consoleRights(namespace: string = HUB_NAMESPACE): readonly KubeObject[] {
  return [serviceAccount(NAME, namespace), clusterRole(NAME, CONSOLE_RULES), clusterRoleBinding(NAME, NAME, { namespace, name: NAME })];
}

/** Returns the objects that run the console on a hub, behind a proxy or an ingress that terminates HTTPS. */
export function consoleManifests({ image, host, namespace = HUB_NAMESPACE }: ConsoleInstallOptions): readonly KubeObject[] {
  return [
    namespaceObject(namespace),
    ...consoleRights(namespace),
    workload({
      name: NAME,
      namespace,
      image,
      replicas: 1,
      args: ['console', '--host', host, '--port', String(PORT)],
      ports: { metrics: PORT },
      memory: '256Mi',
    }),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, namespace },
      spec: {
        selector: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'outrigger' },
        ports: [{ port: 80, targetPort: 'metrics' }],
      },
    } as KubeObject,
  ];
}
