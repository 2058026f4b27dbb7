import {
  HUB_NAMESPACE,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  controllerRevisions,
  leases,
  managedClusterAddOns,
  manifestWorks,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf, isApiError, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';

const CLUSTER = 'marked';
const KEPT = { 'example.com/owner': 'team' };
const OUR_ANNOTATIONS = { 'outrigger.dev/revision': '4', 'outrigger.dev/installed-spec': 'x' };
const DEGRADED = {
  type: 'Degraded',
  status: 'True',
  reason: 'DependencyNotSatisfied',
  message: 'x',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

type Marked = readonly [Kind, KubeObject];

function object(kind: Kind, metadata: KubeObject['metadata'], content: object = {}): Marked {
  return [kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...content }];
}

/** The objects that only Outrigger's manager and `outrigger join` create. */
const OURS: readonly Marked[] = [
  object(
    controllerRevisions,
    { namespace: HUB_NAMESPACE, name: 'content', labels: { 'outrigger.dev/content': '' } },
    { revision: 1, data: {} },
  ),
  object(
    controllerRevisions,
    { namespace: HUB_NAMESPACE, name: 'record', labels: { 'outrigger.dev/target-record': '' } },
    { revision: 1, data: {} },
  ),
  object(secrets, { namespace: HUB_NAMESPACE, name: 'outrigger-webhook-authority' }),
  object(leases, { namespace: HUB_NAMESPACE, name: 'outrigger-hub' }),
  object(clusterRoles, { name: 'outrigger:join:late', labels: { 'outrigger.dev/join': 'late' } }, { rules: [] }),
  object(
    clusterRoleBindings,
    { name: 'outrigger:join:late', labels: { 'outrigger.dev/join': 'late' } },
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'outrigger:join:late' } },
  ),
  object(configMaps, { namespace: CLUSTER, name: 'outrigger-left-behind' }, { data: {} }),
];

/** The objects of other programs and of users, some with labels and annotations of ours. */
const OTHERS: readonly Marked[] = [
  object(controllerRevisions, { namespace: HUB_NAMESPACE, name: 'of-a-daemon-set', labels: KEPT }, { revision: 1, data: {} }),
  object(secrets, { namespace: CLUSTER, name: 'outrigger-webhook-authority' }),
  object(leases, { namespace: CLUSTER, name: 'outrigger-hub' }),
  // With this label, an administrator grants a permission to the manager.
  object(clusterRoles, { name: 'granted', labels: { 'outrigger.dev/aggregate-to-bindable-roles': 'true' } }, { rules: [] }),
  object(clusterManagementAddOns, { name: 'marked', annotations: { ...KEPT, 'outrigger.dev/made-by': 'x' } }, { spec: {} }),
  object(managedClusterAddOns, { namespace: CLUSTER, name: 'marked', annotations: { ...KEPT, ...OUR_ANNOTATIONS } }, { spec: {} }),
  object(
    manifestWorks,
    { namespace: CLUSTER, name: 'marked', labels: KEPT, annotations: { 'outrigger.dev/render-inputs': 'x' } },
    { spec: { workload: { manifests: [] } } },
  ),
  object(manifestWorks, { namespace: CLUSTER, name: 'unmarked', labels: KEPT }, { spec: { workload: { manifests: [] } } }),
];

/** Creates objects of ours and of other programs, as they are after our manager has worked on a hub of another manager. */
export async function createMarkedObjects(hub: Client): Promise<void> {
  const metadata = { name: CLUSTER, annotations: { 'outrigger.dev/made-for-cluster': 'uid', ...KEPT } };
  await hub.create(...(object(namespaces, metadata) as [Kind, KubeObject]));
  for (const [kind, one] of [...OURS, ...OTHERS]) await hub.create(kind, one);
  const patch = { status: { conditions: [DEGRADED] } };
  await hub.patch(managedClusterAddOns, { namespace: CLUSTER, name: 'marked' }, { type: 'merge', patch }, { subresource: 'status' });
}

/** Checks that our objects, and our labels and annotations on upstream's kinds, are gone, and that nothing else has changed. */
export async function expectUnmarked(hub: Client, unmarkedWork: string | undefined): Promise<void> {
  for (const [kind, one] of OURS) expect(await find(hub, kind, one), `${kind.kind} ${one.metadata.name}`).toBeUndefined();
  for (const [kind, one] of OTHERS) {
    const { annotations = {}, labels = {} } = (await find(hub, kind, one))?.metadata ?? {};
    const isOurs = ([key]: readonly [string, string]): boolean => key.startsWith('outrigger.dev/') && kind.kind !== 'ClusterRole';
    const without = (all: Readonly<Record<string, string>> = {}): object =>
      Object.fromEntries(Object.entries(all).filter((entry) => !isOurs(entry)));
    expect({ annotations, labels }, `${kind.kind} ${one.metadata.name}`).toMatchObject({
      annotations: without(one.metadata.annotations),
      labels: without(one.metadata.labels),
    });
    expect(Object.entries({ ...annotations, ...labels }).filter(isOurs)).toEqual([]);
  }
  expect((await hub.get(namespaces, { name: CLUSTER })).metadata.annotations).toEqual(KEPT);
  const { status } = await hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'marked' });
  expect(status?.conditions ?? []).toEqual([]);
  expect(await workVersion(hub), 'a work without marks is not written').toBe(unmarkedWork);
}

export async function workVersion(hub: Client): Promise<string | undefined> {
  return (await hub.get(manifestWorks, { namespace: CLUSTER, name: 'unmarked' })).metadata.resourceVersion;
}

async function find(hub: Client, kind: Kind, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await hub.get(kind, keyOf(object));
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
