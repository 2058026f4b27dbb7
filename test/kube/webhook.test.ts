import {
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  clusterManagementAddOnsV1beta1,
  managedClusterAddOns,
  managedClusterAddOnsV1beta1,
  managedClusters,
} from '@outrigger/api';
import { type JsonObject, isApiError } from '@outrigger/core';
import { type Lifetimes, type WebhookServer, createAdmission, publishWebhooks, serveWebhooks } from '@outrigger/hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCluster, templateOf } from '../integration/addon/objects.js';
import { type KubeHub, startKubeHub } from './hub.js';

function declared(name: string, ...dependencies: string[]): ClusterManagementAddOn {
  const spec = { dependencies: dependencies.map((dependency) => ({ name: dependency })) };
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

describe('the webhook beside a real API server', () => {
  let world: KubeHub;
  let webhook: WebhookServer;
  // The CA is due for rotation four seconds after its creation, and the rotation takes seconds instead of minutes.
  const certificateMs = 60_000;
  const lifetimes: Lifetimes = { authorityMs: 2 * certificateMs + 4_000, certificateMs, publishMs: 3_000, checkMs: 500 };

  beforeAll(async () => {
    world = await startKubeHub();
    const { runtime, hub: client } = world;
    const admission = createAdmission({
      view: () => (world.manager.isSynced ? world.manager.view : undefined),
      client: () => client,
      clock: runtime.clock,
      settings: { managerNamespace: 'default', trustedUsers: [], checkMissingExecutor: false },
    });
    const publish = (caBundle: string, port: number): Promise<void> =>
      publishWebhooks(client, { url: `https://127.0.0.1:${port}`, caBundle }, runtime.log);
    const ips = ['127.0.0.1'];
    webhook = await serveWebhooks({
      runtime,
      client,
      admission,
      namespace: 'default',
      port: 0,
      host: '127.0.0.1',
      ips,
      publish,
      lifetimes,
    });
    await world.eventually('v1beta1 is served', async () => {
      client.discovery.invalidate();
      return (await client.discovery.serves(clusterManagementAddOnsV1beta1)) ? true : undefined;
    });
  });
  afterAll(async () => {
    await webhook.close();
    await world.stop();
  });

  it('the authority is exchanged while requests continue, and none is refused', async () => {
    const { hub, runtime } = world;
    const first = webhook.caBundle;
    const failures: unknown[] = [];
    let isOver = false;
    const asking = (async () => {
      for (let i = 0; !isOver; i++) {
        // The create goes through the validating webhook, which fails closed; the list goes through conversion.
        const template = { ...templateOf('rotated', { name: `rotated-${i}` }) };
        await hub.create(addOnTemplates, template).catch((error: unknown) => failures.push(error));
        await hub.list(clusterManagementAddOnsV1beta1).catch((error: unknown) => failures.push(error));
        await runtime.timers.sleep(20);
      }
    })();
    await hub.create(clusterManagementAddOns, declared('converted'));
    const seen: number[] = [];
    await world.eventually('the authority has been exchanged', async () => {
      const certificates = webhook.caBundle.split(/(?=-----BEGIN)/);
      if (seen.at(-1) !== certificates.length) seen.push(certificates.length);
      return certificates[0] !== first && certificates[1] === first ? true : undefined;
    });
    // Send requests for a few more seconds, because the API server opens new connections after its webhook configuration has changed.
    await runtime.timers.sleep(3_000);
    isOver = true;
    await asking;
    expect(failures).toEqual([]);
    expect(seen, 'one authority, then both').toEqual([1, 2]);
  });

  it('a v1beta1 client writes and reads objects stored as v1alpha1', async () => {
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

  it('refuses a cycle over the wire, and sets the fields that the hub decides', async () => {
    const { hub } = world;
    await hub.create(clusterManagementAddOns, declared('a', 'b'));
    await world.eventually('the cycle is refused', async () => {
      const error = await hub.create(clusterManagementAddOns, declared('b', 'a')).catch((refused: unknown) => refused);
      if (isApiError(error)) {
        expect(error.message).toContain('b -> a -> b');
        return true;
      }
      // The caches lagged, so admission accepted the cycle, which the controllers tolerate. The test deletes the declaration and tries
      // again.
      await hub.delete(clusterManagementAddOns, { name: 'b' });
      return undefined;
    });
    const cluster = await hub.get(managedClusters, { name: 'c1' });
    expect(cluster.metadata.labels).toMatchObject({ 'cluster.open-cluster-management.io/clusterset': 'default' });
  });

  it('accepts questionable references with warnings', async () => {
    const { hub } = world;
    const group = 'addon.open-cluster-management.io';
    const post = async (plural: string, object: JsonObject): Promise<string> => {
      const place = plural === 'addondeploymentconfigs' ? 'namespaces/default/' : '';
      const path = `/apis/${group}/v1alpha1/${place}${plural}`;
      const answer = await hub.raw({ method: 'POST', path, body: { apiVersion: `${group}/v1alpha1`, ...object } });
      expect(answer.status).toBe(201);
      return answer.headers['warning'] ?? '';
    };
    // This is the install strategy as the enhancement document 001 shows it, without a namespace for the config.
    const configs = [{ group, resource: 'addondeploymentconfigs', name: 'global-config' }];
    const placements = [{ name: 'global-placement', namespace: 'default', addonTemplate: { installVersion: 'v1', configs } }];
    const printed = await post('clustermanagementaddons', {
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'helloworld' },
      spec: { installStrategy: { type: 'Placements', placements } },
    });
    expect(printed).toContain('is not among the supportedConfigs of the add-on helloworld');
    expect(printed).toContain('names no namespace');

    await hub.create(addOnTemplates, templateOf('homely', { version: 'v1' }));
    const user = { group, resource: 'addondeploymentconfigs', defaultConfig: { name: 'moving', namespace: 'default' } };
    await hub.create(clusterManagementAddOns, { ...declared('homely'), spec: { supportedConfigs: [user] } });
    await world.eventually('the manager knows the declaration', async () => {
      const { status } = await hub.get(clusterManagementAddOns, { name: 'homely' });
      return status?.conditions?.some(({ type }) => type === 'TargetsResolved') ? true : undefined;
    });
    const moving = await post('addondeploymentconfigs', { kind: 'AddOnDeploymentConfig', metadata: { name: 'moving' }, spec: {} });
    expect(moving).toContain('it moves the agent of the add-on homely there from homely');
  });
});
