import {
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type Deployment,
  type ManagedCluster,
  addOnTemplates,
  clusterManagementAddOns,
  deployments,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
} from '@outrigger/api';
import { type KubeObject, findCondition, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The two API servers of the scenario, and a wait with the clock in use. */
export interface ThreadWorld {
  readonly hub: Client;
  readonly cluster: Client;
  /** Resolves when `condition` first returns a value. Rejects after a time limit with the last observed value. */
  eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T>;
  /** Reports the pods of a Deployment as running, for clusters without a kubelet. Called while the test waits for the Deployment. */
  readonly runPods?: (deployment: Deployment) => Promise<void>;
}

export const CLUSTER_NAME = 'cluster1';
const AGENT = { name: 'hello-agent', namespace: 'hello' };

export function helloTemplate(image: string): AddOnTemplate {
  const labels = { app: 'hello-agent' };
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name: 'hello-v1', labels: { 'open-cluster-management.io/addon-version': 'v1' } },
    spec: {
      addonName: 'hello',
      agentSpec: {
        workload: {
          manifests: [
            { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT.namespace } },
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { ...AGENT, labels },
              spec: {
                replicas: 1,
                selector: { matchLabels: labels },
                template: {
                  metadata: { labels },
                  spec: { containers: [{ name: 'agent', image, args: ['--cluster={{CLUSTER_NAME}}'] }] },
                },
              },
            },
          ],
        },
      },
    },
  };
}

export const helloAddOn: ClusterManagementAddOn = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello' },
  spec: {
    supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
    installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'test' } } },
  },
};

const managedCluster: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: CLUSTER_NAME, labels: { env: 'test' } },
  spec: { hubAcceptsClient: true },
};

/** Declares the add-on and an accepted cluster. */
export async function declare({ hub }: ThreadWorld): Promise<void> {
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } });
  await hub.create(managedClusters, managedCluster);
  await hub.create(addOnTemplates, helloTemplate('example.com/hello:1'));
  await hub.create(clusterManagementAddOns, helloAddOn);
}

/** The visible state of an add-on that is installed and settled. */
export interface Arrived {
  readonly conditions: Readonly<Record<string, string>>;
  readonly versions: { readonly current?: string; readonly last?: string; readonly install?: string };
  readonly image: string;
  readonly args: readonly string[];
  readonly works: readonly string[];
}

/** Waits until the add-on runs this image and is settled. */
export async function arrived(world: ThreadWorld, image: string): Promise<Arrived> {
  const deployment = await world.eventually(`Deployment with ${image}`, async () => {
    const found = await absentAsUndefined(world.cluster.get(deployments, AGENT));
    const isNew = found?.spec?.template?.spec?.containers?.[0]?.image === image;
    if (found && isNew) await world.runPods?.(found);
    return isNew ? found : undefined;
  });
  const clusterAddOn = await world.eventually('Available True and Progressing Succeed', async () => {
    const found = await absentAsUndefined(world.hub.get(managedClusterAddOns, { namespace: CLUSTER_NAME, name: 'hello' }));
    const isAvailable = findCondition(found?.status?.conditions, 'Available')?.status === 'True';
    const isDone = findCondition(found?.status?.conditions, 'Progressing')?.reason === 'Succeed';
    const references = found?.status?.configReferences ?? [];
    const isApplied = references.length > 0 && references.every((ref) => ref.desiredConfig?.specHash === ref.lastAppliedConfig?.specHash);
    return isAvailable && isDone && isApplied ? found : undefined;
  });
  const works = await world.hub.list(manifestWorks, { namespace: CLUSTER_NAME });
  const container = deployment.spec?.template?.spec?.containers?.[0] as { image?: string; args?: string[] } | undefined;
  const status = clusterAddOn.status;
  return {
    conditions: Object.fromEntries((status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`])),
    versions: {
      ...(status?.currentVersion === undefined ? {} : { current: status.currentVersion }),
      ...(status?.lastVersion === undefined ? {} : { last: status.lastVersion }),
      ...(status?.installVersion === undefined ? {} : { install: status.installVersion }),
    },
    image: container?.image ?? '',
    args: container?.args ?? [],
    works: works.items.map((work) => work.metadata.name ?? ''),
  };
}

/** Changes the image in the template in place. */
export async function editTemplate({ hub }: ThreadWorld, image: string): Promise<void> {
  const { spec } = helloTemplate(image);
  await hub.patch(addOnTemplates, { name: 'hello-v1' }, { type: 'merge', patch: { spec: spec as never } });
}

/** Deletes the declaration and waits until no object of the add-on is left on the hub and the cluster. */
export async function remove(world: ThreadWorld): Promise<void> {
  await world.hub.delete(clusterManagementAddOns, { name: 'hello' });
  await world.eventually('everything is gone', async () => {
    const left: (KubeObject | undefined)[] = [
      await absentAsUndefined(world.hub.get(managedClusterAddOns, { namespace: CLUSTER_NAME, name: 'hello' })),
      (await world.hub.list(manifestWorks, { namespace: CLUSTER_NAME })).items[0],
      await absentAsUndefined(world.cluster.get(deployments, AGENT)),
    ];
    return left.every((object) => object === undefined) ? true : undefined;
  });
}

async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
