import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_NAME_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  HUB_NAMESPACE,
  type ManagedClusterAddOn,
  type RoleBinding,
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
  addOnClusterGroup,
  addOnGroup,
  addOnRollouts,
  addOnTemplates,
  addOnUser,
  clusterAgentBindingGroups,
  clusterManagementAddOns,
  configKey,
  deployWorkName,
  deployments,
  managedClusterAddOns,
  manifestWorks,
  namespaces,
  roleBindings,
  roles,
  serviceAccountUser,
  serviceAccounts,
  tokenRoleName,
  upstreamPermissionBindingName,
} from '@outrigger/api';
import { type Condition, type KubeObject, type OwnerReference, findCondition } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { parseYaml } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { type FleetWorld, join, playAgents } from '../integration/fleet/world.js';

export function templateYaml(version: string, addOn = 'hello'): string {
  return `apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata: { name: ${addOn}-${version}, labels: { open-cluster-management.io/addon-version: ${version} } }
spec:
  addonName: ${addOn}
  agentSpec:
    workload:
      manifests:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: ${addOn}, namespace: default }, data: { cluster: "{{CLUSTER_NAME}}", version: ${version} } }
`;
}

/** A hub in the state that Open Cluster Management's controllers produce: an add-on from a template, settled on every cluster. */
export interface UpstreamHub {
  /** Returns the name, uid and resource version of every work. If they are equal, no work was written. */
  works(): Promise<readonly string[]>;
  addOns(): Promise<readonly ManagedClusterAddOn[]>;
  /** Whether Outrigger's manager has configured the add-on and completed its rollout on every cluster. */
  isManaged(): Promise<boolean>;
  /** Returns the finalizers that would block upstream's manager after ours is uninstalled. */
  obstacles(): Promise<readonly string[]>;
}

export interface UpstreamOptions {
  /** The ClusterRole that the template binds for the add-on's agents, in the namespace of each cluster and in one shared namespace. */
  readonly clusterRole?: string;
  /** The clusters on which the add-on's agent authenticates with tokens. */
  readonly tokenClusters?: readonly string[];
}

const SHARED_NAMESPACE = 'shared';

const ADD_ON = 'old';
const AGENT = `${ADD_ON}-agent`;
const API = 'addon.open-cluster-management.io/v1alpha1';
const TEMPLATE = { group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: `${ADD_ON}-v1` };

export async function upstreamHub(
  world: FleetWorld,
  clusters: readonly string[],
  { clusterRole, tokenClusters = [] }: UpstreamOptions = {},
): Promise<UpstreamHub> {
  const { hub } = world;
  await hub.create(deployments, managerDeployment());
  const [template] = parseYaml(templateYaml('v1', ADD_ON)) as KubeObject[];
  // The labels are removed, because upstream's templates have no version label.
  const { labels: _, ...metadata } = template?.metadata ?? {};
  const hubPermissions = [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: clusterRole } },
    {
      type: 'SingleNamespace',
      singleNamespace: { namespace: SHARED_NAMESPACE, roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole } },
    },
  ];
  if (clusterRole !== undefined)
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SHARED_NAMESPACE } });
  const registration = clusterRole === undefined ? {} : { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] };
  const content = { ...(template as KubeObject & { readonly spec: object }).spec, ...registration };
  const { spec } = await hub.create(addOnTemplates, { ...template, metadata, spec: content } as never);
  const specHash = sha256Hex(canonicalJson({ spec }));
  const declared = await hub.create(clusterManagementAddOns, {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: {
      supportedConfigs: [{ group: TEMPLATE.group, resource: TEMPLATE.resource, defaultConfig: { name: TEMPLATE.name } }],
      installStrategy: { type: 'Manual' },
    },
  });
  const desiredConfig = { name: TEMPLATE.name, specHash };
  const defaults = [{ group: TEMPLATE.group, resource: TEMPLATE.resource, desiredConfig }];
  const status = { defaultconfigReferences: defaults };
  await hub.patch(clusterManagementAddOns, { name: ADD_ON }, { type: 'merge', patch: { status } }, { subresource: 'status' });
  for (const cluster of clusters) {
    await join(world, cluster);
    // Upstream's manager makes the declaration the owner and the controller of the add-on.
    const owner = { ...ownerOf(declared), controller: true, blockOwnerDeletion: true };
    const clusterAddOn = await installed(world, cluster, owner, specHash);
    const isToken = tokenClusters.includes(cluster);
    if (isToken) await createTokenObjects(world, cluster);
    if (clusterRole !== undefined) await registered(world, clusterAddOn, clusterRole, isToken);
    await hub.create(manifestWorks, {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: {
        name: deployWorkName(ADD_ON, 0),
        namespace: cluster,
        labels: { [ADDON_NAME_LABEL]: ADD_ON },
        annotations: { [CONFIG_SPEC_HASH_ANNOTATION]: JSON.stringify({ [configKey(TEMPLATE)]: specHash }) },
        ownerReferences: [ownerOf(clusterAddOn)],
      },
      spec: { workload: { manifests: [renderedBy(cluster)] } },
    });
  }
  await playAgents(world);
  return {
    works: async () =>
      (await hub.list(manifestWorks)).items
        .map(({ metadata: { namespace, name, uid, resourceVersion } }) => `${namespace}/${name} ${uid} ${resourceVersion}`)
        .sort(),
    addOns: () => addOnsOf(world),
    isManaged: async () => {
      const conditions = (await addOnsOf(world)).map(({ status }) => status?.conditions);
      const { items } = await hub.list(addOnRollouts);
      return (
        conditions.every(
          (all) => findCondition(all, 'Configured')?.status === 'True' && findCondition(all, 'Progressing')?.reason === 'Succeed',
        ) && items.some(({ metadata: { name }, status }) => name === ADD_ON && status?.done === clusters.length)
      );
    },
    obstacles: async () => {
      const objects = [
        await hub.get(clusterManagementAddOns, { name: ADD_ON }),
        ...(await addOnsOf(world)),
        ...(await hub.list(manifestWorks)).items,
      ];
      return objects.flatMap(({ kind, metadata: { name, finalizers = [] } }) =>
        finalizers.map((finalizer) => `${kind} ${name}: ${finalizer}`),
      );
    },
  };
}

async function addOnsOf({ hub }: FleetWorld): Promise<readonly ManagedClusterAddOn[]> {
  return (await hub.list(managedClusterAddOns)).items.filter(({ metadata }) => metadata.name === ADD_ON);
}

/** Creates an add-on on one cluster in the state that upstream's controllers produce. */
async function installed({ hub }: FleetWorld, cluster: string, owner: OwnerReference, specHash: string): Promise<ManagedClusterAddOn> {
  const key = { namespace: cluster, name: ADD_ON };
  await hub.create(managedClusterAddOns, {
    apiVersion: API,
    kind: 'ManagedClusterAddOn',
    metadata: { ...key, ownerReferences: [owner] },
    spec: { installNamespace: 'open-cluster-management-agent-addon' },
  });
  const config = { name: TEMPLATE.name, specHash };
  const status = {
    namespace: 'open-cluster-management-agent-addon',
    healthCheck: { mode: 'Customized' },
    supportedConfigs: [{ group: TEMPLATE.group, resource: TEMPLATE.resource }],
    configReferences: [{ ...TEMPLATE, lastObservedGeneration: 1, desiredConfig: config, lastAppliedConfig: config }],
    conditions: [
      condition('Configured', 'True', 'ConfigurationsConfigured', 'Configurations configured'),
      condition('ManifestApplied', 'True', 'AddonManifestApplied', 'manifests of addon are applied successfully'),
      condition('Available', 'True', 'WorkApplied', 'Addon manifestWork is applied'),
      condition('Progressing', 'False', 'Completed', 'completed with no errors.'),
    ],
  };
  return hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { status } as never }, { subresource: 'status' });
}

/** A condition that upstream's manager wrote long ago. */
function condition(type: string, status: 'True' | 'False', reason: string, message: string): Condition {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

/**
 * Returns the condition that names the account of an add-on's agent that authenticates with tokens. Outrigger's agent parses the uid in the
 * condition's message.
 */
async function tokenCondition(hub: Client, cluster: string): Promise<Condition> {
  const { metadata } = await hub.get(serviceAccounts, { namespace: cluster, name: AGENT });
  return condition(
    'TokenInfrastructureReady',
    'True',
    'TokenInfrastructureReady',
    `ServiceAccount ${cluster}/${AGENT} (UID: ${metadata.uid}) is ready`,
  );
}

const RBAC = 'rbac.authorization.k8s.io';

/** The name of the bindings that upstream creates in the namespace of each cluster and in the shared one. */
export const UPSTREAM_BINDING = upstreamPermissionBindingName(ADD_ON, 'ClusterRole');

/**
 * Writes the bindings of an add-on's agent and reports them, as upstream's manager does: under upstream's names, with the subjects of this
 * cluster.
 */
export async function registered(
  { hub }: Pick<FleetWorld, 'hub'>,
  clusterAddOn: ManagedClusterAddOn,
  clusterRole: string,
  isToken: boolean = clusterAddOn.status?.kubeClientDriver === 'token',
): Promise<void> {
  const { namespace: cluster = '' } = clusterAddOn.metadata;
  const groups = [addOnClusterGroup(cluster, ADD_ON), addOnGroup(ADD_ON)];
  const subject = isToken ? { user: serviceAccountUser(cluster, AGENT), groups: [] } : { user: addOnUser(cluster, ADD_ON, AGENT), groups };
  for (const namespace of [cluster, SHARED_NAMESPACE]) {
    const binding: RoleBinding = {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: {
        namespace,
        name: UPSTREAM_BINDING,
        labels: { [ADDON_NAME_LABEL]: ADD_ON, [ADDON_TEMPLATE_NAME_LABEL]: '' },
        ...(namespace === cluster ? { ownerReferences: [ownerOf(clusterAddOn)] } : {}),
      },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole },
      subjects: [
        { apiGroup: RBAC, kind: 'User', name: subject.user },
        ...subject.groups.map((name) => ({ apiGroup: RBAC, kind: 'Group', name }) as const),
      ],
    };
    const isThere = (await hub.list(roleBindings, { namespace })).items.some(({ metadata }) => metadata.name === UPSTREAM_BINDING);
    await (isThere ? hub.replace(roleBindings, binding) : hub.create(roleBindings, binding));
  }
  const written = [
    condition('RegistrationApplied', 'True', 'SetPermissionApplied', 'Registration of the addon agent is configured'),
    ...(isToken ? [await tokenCondition(hub, cluster)] : []),
  ];
  const status = {
    ...(isToken ? { kubeClientDriver: 'token' } : {}),
    registrations: [{ signerName: 'kubernetes.io/kube-apiserver-client', subject }],
    conditions: [...(clusterAddOn.status?.conditions ?? []).filter(({ type }) => !written.some((one) => one.type === type)), ...written],
  };
  await hub.patch(
    managedClusterAddOns,
    { namespace: cluster, name: ADD_ON },
    { type: 'merge', patch: { status } as never },
    { subresource: 'status' },
  );
}

/**
 * Creates the account of an add-on's agent that authenticates with tokens, and the permission to request these tokens. Like upstream's
 * manager, this function sets no owner.
 */
async function createTokenObjects({ hub }: Pick<FleetWorld, 'hub'>, cluster: string): Promise<void> {
  const metadata = (name: string): KubeObject['metadata'] => ({
    name,
    namespace: cluster,
    labels: { [TOKEN_INFRASTRUCTURE_LABEL]: 'true', [TOKEN_ADDON_NAME_LABEL]: ADD_ON },
  });
  const resources = ['serviceaccounts/token'];
  await hub.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(AGENT) });
  await hub.create(roles, {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: metadata(tokenRoleName(ADD_ON)),
    rules: [
      { verbs: ['create'], apiGroups: [''], resources, resourceNames: [AGENT] },
      { verbs: ['subscribe'], apiGroups: [''], resources },
    ],
  });
  await hub.create(roleBindings, {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: metadata(tokenRoleName(ADD_ON)),
    roleRef: { apiGroup: RBAC, kind: 'Role', name: tokenRoleName(ADD_ON) },
    subjects: clusterAgentBindingGroups(cluster).map((name) => ({ kind: 'Group', apiGroup: RBAC, name }) as const),
  });
}

function renderedBy(cluster: string): never {
  const [template] = parseYaml(templateYaml('v1', ADD_ON).replace('{{CLUSTER_NAME}}', cluster)) as {
    readonly spec: { readonly agentSpec: { readonly workload: { readonly manifests: readonly never[] } } };
  }[];
  return template?.spec.agentSpec.workload.manifests[0] as never;
}

function ownerOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function managerDeployment(): never {
  const labels = { app: 'clustermanager-addon-manager-controller' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'cluster-manager-addon-manager-controller', namespace: HUB_NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'manager', image: 'example.com/addon-manager' }] } },
    },
  } as never;
}
