import {
  INSTALL_NAMESPACE_LABEL,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  DEFAULT_INSTALL_NAMESPACE,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  configMaps,
  managedClusterAddOns,
  namespaces,
} from '@outrigger/api';
import { findCondition, isApiError } from '@outrigger/core';
import { expect } from 'vitest';
import { CLUSTER_NAME, type ThreadWorld } from './scenario.js';

const API = 'addon.open-cluster-management.io/v1alpha1';
const GROUP = 'addon.open-cluster-management.io';

/** An add-on whose config names an install namespace or uses the default, and the namespace in which its objects must be created. */
interface Placed {
  readonly addOn: string;
  readonly config: { readonly agentInstallNamespace?: string };
  readonly namespace: string;
  /** Whether the template has a Deployment. Its namespace is then the namespace that the add-on author chose. */
  readonly hasDeployment?: true;
}

export const PLACED: readonly Placed[] = [
  { addOn: 'without-namespace', config: {}, namespace: DEFAULT_INSTALL_NAMESPACE },
  { addOn: 'with-namespace', config: { agentInstallNamespace: 'shop' }, namespace: 'shop' },
  { addOn: 'authored-namespace', config: { agentInstallNamespace: '' }, namespace: 'authored', hasDeployment: true },
];

/**
 * Installs an add-on whose template contains a ConfigMap but no Namespace. Expects the ConfigMap in the given namespace, and the label of
 * install namespaces on that namespace.
 */
export async function arrivesInItsNamespace(world: ThreadWorld, { addOn, config, namespace, hasDeployment }: Placed): Promise<void> {
  await world.hub.create(addOnTemplates, template(addOn, hasDeployment ?? false));
  const metadata = { name: addOn, namespace: 'default' };
  await world.hub.create(addOnDeploymentConfigs, { apiVersion: API, kind: 'AddOnDeploymentConfig', metadata, spec: config });
  await world.hub.create(clusterManagementAddOns, declaration(addOn));
  await world.eventually(`ConfigMap of ${addOn} in ${namespace}`, async () =>
    absentAsUndefined(world.cluster.get(configMaps, { namespace, name: addOn })),
  );
  // On a cluster without a kubelet, no Deployment becomes available.
  if (!hasDeployment)
    await world.eventually(`${addOn} is Available`, async () => {
      const found = await absentAsUndefined(world.hub.get(managedClusterAddOns, { namespace: CLUSTER_NAME, name: addOn }));
      return findCondition(found?.status?.conditions, 'Available')?.status === 'True' ? true : undefined;
    });
  expect((await world.cluster.get(namespaces, { name: namespace })).metadata.labels).toMatchObject({ [INSTALL_NAMESPACE_LABEL]: 'true' });
}

/** Deletes the default namespace, as a user might, and expects the agent to create it again. */
export async function defaultNamespaceComesBack({ cluster, eventually }: ThreadWorld): Promise<void> {
  const name = DEFAULT_INSTALL_NAMESPACE;
  const before = await eventually('the default namespace exists', () => absentAsUndefined(cluster.get(namespaces, { name })));
  await cluster.delete(namespaces, { name });
  await eventually('the default namespace is back', async () => {
    const found = await absentAsUndefined(cluster.get(namespaces, { name }));
    return found && found.metadata.uid !== before.metadata.uid && !found.metadata.deletionTimestamp ? true : undefined;
  });
}

function template(addOn: string, hasDeployment: boolean): AddOnTemplate {
  const labels = { app: addOn };
  const pods = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'example.com/agent:1' }] } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: addOn, namespace: 'authored' },
    spec: { selector: { matchLabels: labels }, template: pods },
  };
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: addOn, namespace: 'authored' },
    data: { here: '{{CLUSTER_NAME}}' },
  };
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: `${addOn}-v1`, labels: { 'open-cluster-management.io/addon-version': 'v1' } },
    spec: { addonName: addOn, agentSpec: { workload: { manifests: [manifest, ...(hasDeployment ? [deployment] : [])] } } },
  };
}

function declaration(addOn: string): ClusterManagementAddOn {
  return {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: addOn },
    spec: {
      supportedConfigs: [
        { group: GROUP, resource: 'addontemplates', defaultConfig: { name: `${addOn}-v1` } },
        { group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { name: addOn, namespace: 'default' } },
      ],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'test' } } },
    },
  };
}

async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
