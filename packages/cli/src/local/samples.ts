import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { ensure } from '../fleet/objects.js';

const API = `${ADDON_GROUP}/v1alpha1`;
const REGIONS = ['eu', 'us', 'ap'];

/**
 * Returns the labels of a simulated cluster. The regions alternate and the first cluster is the canary, so that selectors can distinguish
 * clusters.
 */
export function sampleLabels(cluster: string): Readonly<Record<string, string>> {
  const number = Number(/\d+$/.exec(cluster)?.[0] ?? 1);
  return { env: number === 1 ? 'canary' : 'prod', region: REGIONS[(number - 1) % REGIONS.length] ?? 'eu' };
}

const templates = [template('hello', 'v1'), template('hello', 'v2'), template('metrics', 'v1')];

const managementAddOns: readonly ClusterManagementAddOn[] = [
  {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello' },
    spec: {
      addOnMeta: { displayName: 'Hello', description: 'Says hello from every cluster.' },
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
    },
  },
  {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'metrics' },
    spec: {
      addOnMeta: { displayName: 'Metrics', description: 'Collects what hello says.' },
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'metrics-v1' } }],
      dependencies: [{ name: 'hello', type: 'Required', message: 'There is nothing to collect without it.' }],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
    },
  },
];

/** The names of the sample add-ons, in display order. */
export const SAMPLE_ADD_ONS: readonly string[] = managementAddOns.map(({ metadata }) => metadata.name ?? '');

export async function installSamples(hub: Client): Promise<void> {
  for (const object of templates) await ensure(hub, addOnTemplates, object);
  for (const object of managementAddOns) await ensure(hub, clusterManagementAddOns, object);
}

function template(addOn: string, version: string): AddOnTemplate {
  const labels = { app: `${addOn}-agent` };
  const image = `example.com/${addOn}:${version}`;
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: `${addOn}-${version}`, labels: { [ADDON_VERSION_LABEL]: version } },
    spec: {
      addonName: addOn,
      agentSpec: {
        workload: {
          manifests: [
            { apiVersion: 'v1', kind: 'Namespace', metadata: { name: addOn } },
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { name: `${addOn}-agent`, namespace: addOn, labels },
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
