import {
  type AddOnTemplate,
  type ManifestWork,
  type RoleBinding,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoles,
  configMaps,
  managedClusterAddOns,
  manifestWorks,
  roleBindings,
} from '@outrigger/api';
import type { JsonObject, Kind, KubeObject } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, addOnOn, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** In this scenario, a user changes objects that the manager wrote. */

const CLUSTER = 'drift1';
const WORK = { namespace: CLUSTER, name: 'addon-steady-deploy-0' };

const TREATMENT: Partial<AddOnTemplate['spec']['agentSpec']> = {
  deleteOption: {
    propagationPolicy: 'SelectivelyOrphan',
    selectivelyOrphans: { orphaningRules: [{ group: '', resource: 'configmaps', namespace: 'steady', name: 'kept' }] },
  },
  executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'steady', name: 'executor' } } },
  manifestConfigs: [
    {
      resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'steady', name: 'steady-agent' },
      updateStrategy: { type: 'ServerSideApply', serverSideApply: { force: true } },
    },
  ],
};

interface HandEdit {
  readonly name: string;
  readonly patch: JsonObject;
}

const WORK_EDITS: readonly HandEdit[] = [
  { name: 'manifestConfigs removed', patch: { spec: { manifestConfigs: null } } },
  {
    name: 'manifestConfigs of another kind',
    patch: { spec: { manifestConfigs: [{ resourceIdentifier: { resource: 'secrets', namespace: 'n', name: '*' } }] } },
  },
  { name: 'deleteOption changed', patch: { spec: { deleteOption: { propagationPolicy: 'Orphan', selectivelyOrphans: null } } } },
  { name: 'deleteOption removed', patch: { spec: { deleteOption: null } } },
  {
    name: 'executor changed',
    patch: { spec: { executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: 'admin' } } } } },
  },
  { name: 'executor removed', patch: { spec: { executor: null } } },
  { name: 'manifests removed', patch: { spec: { workload: { manifests: [] } } } },
  {
    name: 'a manifest changed',
    patch: {
      spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'steady' } }] } },
    },
  },
  { name: 'the version changed', patch: { metadata: { labels: { 'open-cluster-management.io/addon-version': 'v9' } } } },
  { name: 'the label of the add-on removed', patch: { metadata: { labels: { 'open-cluster-management.io/addon-name': null } } } },
  { name: 'the label of another add-on', patch: { metadata: { labels: { 'open-cluster-management.io/addon-name': 'other' } } } },
  { name: 'the hash changed', patch: { metadata: { annotations: { 'open-cluster-management.io/config-spec-hash': '{}' } } } },
  { name: 'the namespace it is for changed', patch: { metadata: { annotations: { 'outrigger.dev/install-namespace': 'kube-system' } } } },
  { name: 'every annotation removed', patch: { metadata: { annotations: null } } },
  { name: 'its owner removed', patch: { metadata: { ownerReferences: null } } },
];

const BINDING_EDITS: readonly HandEdit[] = [
  {
    name: 'another user bound',
    patch: { subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:masters' }] },
  },
  { name: 'the label of the add-on removed', patch: { metadata: { labels: { 'open-cluster-management.io/addon-name': null } } } },
  { name: 'the label of another cluster', patch: { metadata: { labels: { 'open-cluster-management.io/cluster-name': 'other' } } } },
  { name: 'its owner removed', patch: { metadata: { ownerReferences: null } } },
];

async function declare({ hub }: AddOnWorld, name: string, template: AddOnTemplate): Promise<void> {
  await hub.create(addOnTemplates, template);
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: { supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name } }] },
  });
}

/**
 * Returns the part of an object that must not change: everything except the server's counters, the status and the annotation about the
 * write itself.
 */
function essence({ metadata, ...rest }: KubeObject): unknown {
  const { 'outrigger.dev/written': _, ...annotations } = metadata.annotations ?? {};
  const { labels, ownerReferences } = metadata;
  const { status: __, ...spec } = rest as KubeObject & { status?: unknown };
  return { ...spec, metadata: { labels, ownerReferences, annotations } };
}

async function repaired<T extends KubeObject>(
  world: AddOnWorld,
  kind: Kind<T>,
  key: { readonly namespace: string; readonly name: string },
  edits: readonly HandEdit[],
): Promise<void> {
  const { hub } = world;
  const before = essence(await hub.get(kind, key));
  for (const { name, patch } of edits) {
    await hub.patch(kind, key, { type: 'merge', patch });
    await world.eventually(`repaired after: ${name}`, async () => {
      expect(essence(await hub.get(kind, key))).toEqual(before);
      return true;
    });
    await eventuallyIs(world, CLUSTER, 'steady', 'Progressing', 'False Succeed');
  }
}

/** The manager reverts every manual edit of a work or a binding, and then writes nothing more. */
export async function handEditsAreRepaired(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'steady' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  });
  const hubPermissions = [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'steady' } }] as const;
  const template = templateOf('steady', { version: 'v1', registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] });
  await declare(world, 'steady', { ...template, spec: { ...template.spec, agentSpec: { ...template.spec.agentSpec, ...TREATMENT } } });
  await install(world, CLUSTER, 'steady');
  await eventuallyIs(world, CLUSTER, 'steady', 'Progressing', 'False Succeed');

  await repaired<ManifestWork>(world, manifestWorks, WORK, WORK_EDITS);
  const [binding] = (await hub.list(roleBindings, { namespace: CLUSTER, labelSelector: 'open-cluster-management.io/addon-name=steady' }))
    .items;
  expect(binding).toBeDefined();
  await repaired<RoleBinding>(world, roleBindings, { namespace: CLUSTER, name: binding?.metadata.name ?? '' }, BINDING_EDITS);

  await world.quiet();
  world.writes.length = 0;
  await hub.patch(
    managedClusterAddOns,
    { namespace: CLUSTER, name: 'steady' },
    { type: 'merge', patch: { metadata: { labels: { touched: 'yes' } } } },
  );
  await world.quiet();
  expect(world.writes).toEqual([]);
}

/**
 * If another owner's work has the name that the manager needs, the manager reports the conflict, leaves the work unchanged, and backs off.
 */
export async function strangerInTheWay(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  const owner = await hub.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'stranger', namespace: CLUSTER },
  });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'stranger', uid: owner.metadata.uid ?? '', controller: true }];
  const key = { namespace: CLUSTER, name: 'addon-blocked-deploy-0' };
  const theirs = await hub.create(manifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { ...key, ownerReferences },
    spec: { workload: { manifests: [] } },
  });
  await declare(world, 'blocked', templateOf('blocked'));
  world.writes.length = 0;
  const startedAt = world.runtime.clock.monotonic();
  await hub.create(managedClusterAddOns, addOnOn(CLUSTER, 'blocked'));
  const told = await eventuallyIs(world, CLUSTER, 'blocked', 'Progressing', 'False Failed');
  const message = `ManifestWork ${CLUSTER}/addon-blocked-deploy-0 stands in the way: it belongs to ConfigMap stranger.`;
  for (const type of ['Progressing', 'ManifestApplied']) {
    expect(told.status?.conditions?.find((one) => one.type === type)?.message).toContain(message);
  }
  const attempts = (): number => world.writes.filter((write) => write.startsWith('POST manifestworks')).length;
  await world.eventually('it was tried again', async () => (attempts() >= 4 ? true : undefined));
  // The first attempt fails at once, and the condition that reports the error wakes the key for another attempt. After that, the back-off
  // starts at 0.1 s and doubles.
  const elapsedMs = world.runtime.clock.monotonic() - startedAt;
  expect(attempts()).toBeLessThanOrEqual(3 + Math.log2(elapsedMs / 100 + 1));
  expect(essence(await hub.get(manifestWorks, key))).toEqual(essence(theirs));

  await hub.delete(manifestWorks, key);
  await eventuallyIs(world, CLUSTER, 'blocked', 'Progressing', 'False Succeed');
}
