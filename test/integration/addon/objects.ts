import {
  type AddOnTemplate,
  type ManagedClusterAddOn,
  type TemplateRegistration,
  managedClusterAddOns,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { type KubeObject, findCondition, isApiError, parseApiVersion } from '@outrigger/core';
import { parseYamlDocuments } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import type { AddOnWorld } from './world.js';

/** Creates all objects in a YAML text, and patches the status of each object that has one in the text. */
export async function createYaml(hub: Client, text: string): Promise<void> {
  for (const { value } of parseYamlDocuments(text)) {
    const object = value as KubeObject;
    const { group, version } = parseApiVersion(object.apiVersion);
    const kind = await hub.discovery.kindOf({ group, version, kind: object.kind });
    if (!kind) throw new Error(`${object.apiVersion} ${object.kind} is not served`);
    await hub.create(kind, object);
  }
}

/** Creates an accepted cluster. The cluster or its namespace may exist already. */
export async function addCluster({ hub }: Pick<AddOnWorld, 'hub'>, name: string, labels: Record<string, string> = {}): Promise<void> {
  const apiVersion = 'cluster.open-cluster-management.io/v1';
  // No agent renews the cluster's lease, so the lease must last for the slowest test.
  const spec = { hubAcceptsClient: true, leaseDurationSeconds: 3600 };
  const create = [
    hub.create(managedClusters, { apiVersion, kind: 'ManagedCluster', metadata: { name, labels }, spec }),
    hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  ];
  for (const created of await Promise.allSettled(create)) {
    if (created.status === 'rejected' && !isApiError(created.reason, 'AlreadyExists')) throw created.reason;
  }
}

export function addOnOn(cluster: string, name: string, spec: ManagedClusterAddOn['spec'] = {}): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: cluster },
    spec,
  };
}

export async function install(
  { hub }: Pick<AddOnWorld, 'hub'>,
  cluster: string,
  name: string,
  spec: ManagedClusterAddOn['spec'] = {},
): Promise<void> {
  await hub.create(managedClusterAddOns, addOnOn(cluster, name, spec));
}

/** Returns a template with one Deployment. */
export function templateOf(
  addOn: string,
  options: {
    readonly name?: string;
    readonly image?: string;
    readonly version?: string;
    readonly registration?: readonly TemplateRegistration[];
  } = {},
): AddOnTemplate {
  const labels = { app: addOn };
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: {
      name: options.name ?? addOn,
      ...(options.version ? { labels: { 'open-cluster-management.io/addon-version': options.version } } : {}),
    },
    spec: {
      addonName: addOn,
      agentSpec: {
        workload: {
          manifests: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { name: `${addOn}-agent`, namespace: addOn, labels },
              spec: {
                selector: { matchLabels: labels },
                template: {
                  metadata: { labels },
                  spec: { containers: [{ name: 'agent', image: options.image ?? 'example.com/agent:1' }] },
                },
              },
            },
          ],
        },
      },
      ...(options.registration ? { registration: options.registration } : {}),
    },
  };
}

export function conditionsOf(clusterAddOn: ManagedClusterAddOn): Record<string, string> {
  return Object.fromEntries((clusterAddOn.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

/** Waits until a condition of an add-on is `<status> <reason>`. Returns the add-on. */
export function eventuallyIs(world: AddOnWorld, cluster: string, name: string, type: string, wanted: string): Promise<ManagedClusterAddOn> {
  return world.eventually(`${cluster}/${name} ${type} ${wanted}`, async () => {
    const clusterAddOn = await world.hub.get(managedClusterAddOns, { namespace: cluster, name });
    const found = findCondition(clusterAddOn.status?.conditions, type);
    if (found && `${found.status} ${found.reason}` === wanted) return clusterAddOn;
    throw Object.assign(new Error(JSON.stringify(clusterAddOn.status, null, 1)), { name: 'AssertionError' });
  });
}
