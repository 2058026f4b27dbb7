import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  clusterManagementAddOnsV1beta1,
  managedClusterAddOns,
  managedClusterAddOnsV1beta1,
  managedClusters,
} from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import {
  type WebhookServer,
  createDoor,
  mutatingConfiguration,
  mutatingWebhookConfigurations,
  serveWebhooks,
  validatingConfiguration,
  validatingWebhookConfigurations,
} from '@outrigger/hub';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCluster } from '../integration/addon/objects.js';
import { type KubeHub, type KubeHubOptions, startKubeHub } from './hub.js';

describe('the webhook beside a real API server', () => {
  let world: KubeHub;
  let webhook: WebhookServer;

  beforeAll(async () => {
    const prepare: KubeHubOptions['prepare'] = async (client, manager) => {
      const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
      const door = createDoor({
        view: () => {
          const running = manager();
          return running?.isSynced ? running.view : undefined;
        },
        client: () => client,
        clock: runtime.clock,
        settings: { managerNamespace: 'default', trustedUsers: [], checkMissingExecutor: false },
      });
      webhook = await serveWebhooks({ runtime, client, door, namespace: 'default', port: 0, host: '127.0.0.1', ips: ['127.0.0.1'] });
      const endpoint = { url: `https://127.0.0.1:${webhook.port}`, caBundle: webhook.caBundle };
      await client.create(validatingWebhookConfigurations, validatingConfiguration(endpoint));
      await client.create(mutatingWebhookConfigurations, mutatingConfiguration(endpoint));
      return { url: `${endpoint.url}/convert`, caBundle: btoa(endpoint.caBundle) };
    };
    world = await startKubeHub({ prepare });
  }, 180_000);
  afterAll(async () => {
    await world.stop();
    await webhook.close();
  });

  it('a v1beta1 client writes and reads what is stored as v1alpha1', async () => {
    const { hub } = world;
    const spec = {
      defaultConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', namespace: 'default', name: 'd' }],
    };
    await hub.create(clusterManagementAddOnsV1beta1, {
      apiVersion: 'addon.open-cluster-management.io/v1beta1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'beta' },
      spec: spec,
    });
    const stored = await hub.get(clusterManagementAddOns, { name: 'beta' });
    expect(stored.spec.supportedConfigs).toEqual([
      { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name: 'd' } },
    ]);
    const again = await hub.get(clusterManagementAddOnsV1beta1, { name: 'beta' });
    expect(again.spec.defaultConfigs).toEqual(spec.defaultConfigs);

    await addCluster(world, 'c1');
    await hub.create(managedClusterAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ManagedClusterAddOn',
      metadata: { name: 'beta', namespace: 'c1' },
      spec: { installNamespace: 'somewhere' },
    });
    const converted = await hub.get(managedClusterAddOnsV1beta1, { namespace: 'c1', name: 'beta' });
    expect(converted.metadata.annotations).toMatchObject({ 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'somewhere' });
  });

  it('refuses a cycle over the wire, and fills in what the hub decides', async () => {
    const { hub } = world;
    const declared = (name: string, dependency: string): ClusterManagementAddOn => ({
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name },
      spec: { dependencies: [{ name: dependency }] },
    });
    await hub.create(clusterManagementAddOns, declared('a', 'b'));
    await world.eventually('the cycle is refused', async () => {
      const error = await hub.create(clusterManagementAddOns, declared('b', 'a')).catch((refused: unknown) => refused);
      if (isApiError(error)) {
        expect(error.message).toContain('b -> a -> b');
        return true;
      }
      // The caches were behind: the controllers contain it; here it is tried again.
      await hub.delete(clusterManagementAddOns, { name: 'b' });
      return undefined;
    });
    const cluster = await hub.get(managedClusters, { name: 'c1' });
    expect(cluster.metadata.labels).toMatchObject({ 'cluster.open-cluster-management.io/clusterset': 'default' });
  });
});
