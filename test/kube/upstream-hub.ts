import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_NAME_LABEL,
  CONFIG_SPEC_HASH_ANNOTATION,
  HUB_NAMESPACE,
  type ManagedClusterAddOn,
  addOnClusterGroup,
  addOnGroup,
  addOnRollouts,
  addOnTemplates,
  addOnUser,
  clusterManagementAddOns,
  configKey,
  deployWorkName,
  deployments,
  managedClusterAddOns,
  manifestWorks,
  roleBindings,
  upstreamPermissionBindingName,
} from '@outrigger/api';
import { type KubeObject, type OwnerReference, findCondition } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { parseYaml } from '@outrigger/core/yaml';
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
  /** Name, uid and resource version of every work. If they are equal, no work was written. */
  works(): Promise<readonly string[]>;
  addOns(): Promise<readonly ManagedClusterAddOn[]>;
  /** Whether Outrigger's manager has settled on every cluster. */
  isManaged(): Promise<boolean>;
  /** The finalizers that would block upstream's manager after ours is uninstalled. */
  obstacles(): Promise<readonly string[]>;
}

export interface UpstreamOptions {
  /** The ClusterRole that the template binds for the agents of the add-on, each in the namespace of its cluster. */
  readonly clusterRole?: string;
}

const ADD_ON = 'old';
const API = 'addon.open-cluster-management.io/v1alpha1';
const TEMPLATE = { group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: `${ADD_ON}-v1` };

export async function upstreamHub(
  world: FleetWorld,
  clusters: readonly string[],
  { clusterRole }: UpstreamOptions = {},
): Promise<UpstreamHub> {
  const { hub } = world;
  await hub.create(deployments, managerDeployment());
  const [template] = parseYaml(templateYaml('v1', ADD_ON)) as KubeObject[];
  // Upstream's templates have no version label.
  const { labels: _, ...metadata } = template?.metadata ?? {};
  const hubPermissions = [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: clusterRole } }];
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
  for (const cluster of clusters) {
    await join(world, cluster);
    // In upstream, the owner of an add-on is also its controller.
    const owner = { ...ownerOf(declared), controller: true, blockOwnerDeletion: true };
    const clusterAddOn = await installed(world, cluster, owner, specHash);
    if (clusterRole !== undefined) await registered(world, clusterAddOn, clusterRole);
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
    configReferences: [{ ...TEMPLATE, lastObservedGeneration: 1, desiredConfig: config, lastAppliedConfig: config }],
  };
  return hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
}

/** The name of the binding that upstream creates in the namespace of each cluster. */
export const UPSTREAM_BINDING = upstreamPermissionBindingName(ADD_ON, 'ClusterRole');

/** Creates the binding of an add-on's agent and reports it, as upstream's manager does. */
export async function registered({ hub }: Pick<FleetWorld, 'hub'>, clusterAddOn: ManagedClusterAddOn, clusterRole: string): Promise<void> {
  const { namespace: cluster = '' } = clusterAddOn.metadata;
  const subject = { user: addOnUser(cluster, ADD_ON, `${ADD_ON}-agent`), groups: [addOnClusterGroup(cluster, ADD_ON), addOnGroup(ADD_ON)] };
  const rbac = 'rbac.authorization.k8s.io';
  await hub.create(roleBindings, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: {
      namespace: cluster,
      name: UPSTREAM_BINDING,
      labels: { [ADDON_NAME_LABEL]: ADD_ON, [ADDON_TEMPLATE_NAME_LABEL]: '' },
      ownerReferences: [ownerOf(clusterAddOn)],
    },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterRole },
    subjects: [
      { apiGroup: rbac, kind: 'User', name: subject.user },
      ...subject.groups.map((name) => ({ apiGroup: rbac, kind: 'Group', name }) as const),
    ],
  });
  const status = {
    registrations: [{ signerName: 'kubernetes.io/kube-apiserver-client', subject }],
    conditions: [
      ...(clusterAddOn.status?.conditions ?? []).filter(({ type }) => type !== 'RegistrationApplied'),
      {
        type: 'RegistrationApplied',
        status: 'True',
        reason: 'SetPermissionApplied',
        message: 'Registration of the addon agent is configured',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  await hub.patch(
    managedClusterAddOns,
    { namespace: cluster, name: ADD_ON },
    { type: 'merge', patch: { status } as never },
    { subresource: 'status' },
  );
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
