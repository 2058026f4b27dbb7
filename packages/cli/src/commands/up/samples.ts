import type { AddOnTemplate, ClusterManagementAddOn, ManagedCluster } from '@outrigger/api';

const labels = { app: 'hello-agent' };

export function sampleCluster(name: string): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels: { env: 'sample' } },
    spec: { hubAcceptsClient: true },
  };
}

export const sampleTemplate: AddOnTemplate = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'AddOnTemplate',
  metadata: { name: 'hello-v1', labels: { 'open-cluster-management.io/addon-version': 'v1' } },
  spec: {
    addonName: 'hello',
    agentSpec: {
      workload: {
        manifests: [
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hello' } },
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'hello-agent', namespace: 'hello', labels },
            spec: {
              replicas: 1,
              selector: { matchLabels: labels },
              template: {
                metadata: { labels },
                spec: { containers: [{ name: 'agent', image: 'example.com/hello:1', args: ['--cluster={{CLUSTER_NAME}}'] }] },
              },
            },
          },
        ],
      },
    },
  },
};

export const sampleAddOn: ClusterManagementAddOn = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello' },
  spec: {
    addOnMeta: { displayName: 'Hello', description: 'Says hello from every cluster.' },
    supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
    installStrategy: { type: 'ClusterLabelSelector', labelSelector: {} },
  },
};
