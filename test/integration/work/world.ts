import {
  type AppliedManifestWork,
  type ManifestCondition,
  type ManifestWork,
  type ManifestWorkSpec,
  appliedManifestWorkName,
  appliedManifestWorks,
  manifestWorks,
} from '@outrigger/api';
import { type Clock, type Condition, type Kind, type KubeObject, type ObjectKey, findCondition, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { Eventually } from '../../world/eventually.js';

/** A hub and a managed cluster with a running agent. Both may be the same API server. */
export interface WorkWorld {
  readonly hub: Client;
  readonly cluster: Client;
  readonly hubServer: string;
  /** Returns a name that is unique in this world. Equal worlds produce the same names in the same order. */
  unique(prefix: string): string;
  /** Creates a new namespace on the managed cluster. */
  newNamespace(): Promise<string>;
  readonly eventually: Eventually;
}

/** A world on the machine's clock that can restart its agent and records the agent's requests. */
export interface AgentWorld extends WorkWorld {
  readonly clock: Clock;
  /** Resolves when the agent has processed everything that it received, sends no request, and has no pass due soon. */
  settled(): Promise<void>;
  /** Returns the agent's requests since the last call, as `METHOD path`, without watches. Dry runs end with `(dry run)`. */
  takeRequests(): readonly string[];
  /** Stops the agent and starts another one instead. */
  restartAgent(): Promise<void>;
  /** Starts an additional agent on the same cluster, whose requests are recorded too. */
  startAnother(agentId: string): Promise<{ stop(): Promise<void> }>;
}

export const CLUSTER_NAME = 'cluster1';

const kind = (group: string, version: string, name: string, plural: string, namespaced = true): Kind => ({
  group,
  version,
  kind: name,
  plural,
  namespaced,
});
export const configMaps = kind('', 'v1', 'ConfigMap', 'configmaps');
export const secrets = kind('', 'v1', 'Secret', 'secrets');
export const deployments = kind('apps', 'v1', 'Deployment', 'deployments');
export const claims = kind('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const jobs = kind('batch', 'v1', 'Job', 'jobs');
export const roleBindings = kind('rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings');
export const roles = kind('rbac.authorization.k8s.io', 'v1', 'Role', 'roles');
export const clusterRoles = kind('rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles', false);
export const crds = kind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions', false);

/** Returns a function that numbers names: `<prefix>-[<mark>-]<n>`. The mark separates suites that share a server. */
export function numbered(mark = ''): WorkWorld['unique'] {
  let count = 0;
  return (prefix) => `${prefix}-${mark === '' ? '' : `${mark}-`}${count++}`;
}

export type Manifest = KubeObject & Record<string, unknown>;

export function configMap(namespace: string, name: string, data: Record<string, string> = { a: '1' }, metadata: object = {}): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, ...metadata }, data };
}

export function deployment(namespace: string, name: string, replicas = 1): Manifest {
  const labels = { app: name };
  const template = {
    metadata: { creationTimestamp: null, labels },
    spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, creationTimestamp: null as unknown as string },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

export async function createWork(
  { hub, unique }: WorkWorld,
  manifests: readonly Manifest[],
  spec: Partial<ManifestWorkSpec> = {},
  metadata: Partial<KubeObject['metadata']> = {},
): Promise<string> {
  const name = unique('work');
  await hub.create(manifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name, namespace: CLUSTER_NAME, ...metadata },
    spec: { workload: { manifests }, ...spec },
  });
  return name;
}

/** Replaces the manifests, and the other given fields of the spec. */
export async function editWork(
  { hub }: WorkWorld,
  name: string,
  manifests: readonly Manifest[],
  spec: Partial<ManifestWorkSpec> = {},
): Promise<void> {
  const patch = { spec: { workload: { manifests }, ...spec } } as never;
  await hub.patch(manifestWorks, { namespace: CLUSTER_NAME, name }, { type: 'merge', patch });
}

export async function workOf({ hub }: WorkWorld, name: string): Promise<ManifestWork> {
  return hub.get(manifestWorks, { namespace: CLUSTER_NAME, name });
}

/** Waits until the work has this condition for its current generation. */
export async function workWith(world: WorkWorld, name: string, type: string, status: string): Promise<ManifestWork> {
  return world.eventually(`${name}: ${type} ${status}`, async () => {
    const work = await workOf(world, name);
    const condition = findCondition(work.status?.conditions, type);
    return condition?.status === status && condition.observedGeneration === work.metadata.generation ? work : undefined;
  });
}

export async function applied(world: WorkWorld, name: string): Promise<ManifestWork> {
  await workWith(world, name, 'Applied', 'True');
  return workWith(world, name, 'Available', 'True');
}

export function manifestOf(work: ManifestWork, ordinal: number): ManifestCondition {
  const found = work.status?.resourceStatus?.manifests?.[ordinal];
  if (!found) throw new Error(`${work.metadata.name} says nothing about manifest ${ordinal}`);
  return found;
}

export function conditionOf(work: ManifestWork, ordinal: number, type: string): Condition | undefined {
  return findCondition(manifestOf(work, ordinal).conditions, type);
}

export async function appliedWorkOf({ cluster, hubServer }: WorkWorld, work: string): Promise<AppliedManifestWork> {
  return cluster.get(appliedManifestWorks, { name: appliedManifestWorkName(hubServer, work) });
}

export async function find<T extends KubeObject>(client: Client, of: Kind<T>, key: ObjectKey): Promise<T | undefined> {
  try {
    return await client.get(of, key);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

export async function gone(world: WorkWorld, of: Kind, key: ObjectKey): Promise<void> {
  await world.eventually(`${of.kind} ${key.name} is gone`, async () => ((await find(world.cluster, of, key)) ? undefined : true));
}

export async function deleteWork(world: WorkWorld, name: string): Promise<void> {
  await world.hub.delete(manifestWorks, { namespace: CLUSTER_NAME, name });
  await world.eventually(`work ${name} is gone`, async () =>
    (await find(world.hub, manifestWorks, { namespace: CLUSTER_NAME, name })) ? undefined : true,
  );
}

/** Returns a manifest config for all objects of this kind. */
export function treat(of: Kind, config: Partial<NonNullable<ManifestWorkSpec['manifestConfigs']>[number]>): Partial<ManifestWorkSpec> {
  const resourceIdentifier = { group: of.group, resource: of.plural, name: '*', ...(of.namespaced ? { namespace: '*' } : {}) };
  return { manifestConfigs: [{ resourceIdentifier, ...config }] };
}
