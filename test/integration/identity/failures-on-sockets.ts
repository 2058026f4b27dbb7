import { isDeepStrictEqual } from 'node:util';
import type { JoiningAgent } from '@outrigger/agent';
import {
  addOnTemplates,
  appliedManifestWorks,
  certificateSigningRequests,
  clusterManagementAddOns,
  configMaps,
  managedClusterAddOns,
  manifestWorks,
  secrets,
} from '@outrigger/api';
import { createJoinToken } from '@outrigger/hub';
import type { Manager } from '@outrigger/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrived } from './arrived.js';
import {
  ADDON,
  CLUSTER,
  addOnConditionIs,
  clusterConditionIs,
  createAddOn,
  declareBase,
  found,
  giveBootstrap,
  helloTemplate,
  installHello,
  useTemplate,
} from './scenario.js';
import { type ServerTypes, type TwoServers, startTwoServers } from './two-servers.js';

const CREDENTIALS = ['hello-example.com-hello-client-cert', 'hello-hub-kubeconfig', 'hub-kubeconfig-secret'];

/**
 * Defines the tests of failures of networks, hubs and processes over real sockets. Objects change during each failure, and the agent and
 * the hub catch up after it.
 */
export function describeFailuresOnSockets(types: ServerTypes): void {
  describe(`failures on sockets, hub ${types.hub}, cluster ${types.cluster}`, { timeout: 180_000 }, () => {
    let world: TwoServers;
    let manager: Manager;
    let agent: JoiningAgent;

    beforeAll(async () => {
      world = await startTwoServers(types);
      manager = await world.startManager();
      const { runtime, hub } = world;
      const { token } = await createJoinToken({ client: hub, runtime, cluster: CLUSTER });
      await giveBootstrap(world, { token });
      agent = world.startAgent();
      await clusterConditionIs(world, 'ManagedClusterConditionAvailable', 'True');
      await installHello(world);
      await hub.create(addOnTemplates, helloTemplate('v2'));
      await arrived(world, 'example.com/hello:1');
      await addOnConditionIs(world, ADDON, 'ClusterCertificateRotated', 'True');
      await declareBase(world);
    }, 240_000);
    afterAll(() => world?.stop());

    /**
     * Expects that no object is duplicated or missing: every work has its applied work, and every registration has exactly one request and
     * one Secret.
     */
    async function expectOneOfEach(): Promise<void> {
      await world.eventually('as many records as works', async () => {
        const works = (await world.hub.list(manifestWorks, { namespace: CLUSTER })).items.length;
        const records = (await world.cluster.list(appliedManifestWorks)).items.length;
        return works === records ? true : undefined;
      });
      expect((await world.hub.list(certificateSigningRequests)).items).toHaveLength(3);
      await world.eventually('a Secret for each credential, and no key that waits', async () => {
        const { items } = await world.cluster.list(secrets, { labelSelector: 'outrigger.dev/credential' });
        return isDeepStrictEqual(items.map(({ metadata }) => metadata.name ?? '').sort(), CREDENTIALS) ? true : undefined;
      });
      expect(agent.phase).toBe('joined');
    }

    /** Waits until the hub has created the work of an add-on. */
    const workOf = (addOn: string): Promise<unknown> =>
      world.eventually(`the work of ${addOn}`, async () => {
        const labelSelector = `open-cluster-management.io/addon-name=${addOn}`;
        return (await world.hub.list(manifestWorks, { namespace: CLUSTER, labelSelector })).items[0];
      });

    /** Waits until the agent has noticed that its connection is lost, and tries to open another. */
    const reconnects = (before: number): Promise<unknown> =>
      world.eventually('the agent connects again', async () => (world.relay.attempts > before ? true : undefined));

    it('connections that break: changes made meanwhile are applied afterwards', async () => {
      const { attempts } = world.relay;
      world.relay.cut();
      await useTemplate(world, 'hello-v2');
      await createAddOn(world, 'base', {});
      await workOf('base');
      await reconnects(attempts);
      expect(await found(world.cluster.get(configMaps, { namespace: 'default', name: 'base' }))).toBeUndefined();
      world.relay.restore();
      await arrived(world, 'example.com/hello:2');
      await addOnConditionIs(world, 'base', 'Available', 'True');
      await expectOneOfEach();
    });

    it('a network that drops all packets: the agent notices it, and catches up afterwards', async () => {
      const { attempts } = world.relay;
      world.relay.stall();
      await world.hub.delete(managedClusterAddOns, { namespace: CLUSTER, name: 'base' });
      // The agent closes a connection only if a ping is still unanswered when the next ping is due.
      await reconnects(attempts);
      expect(await found(world.cluster.get(configMaps, { namespace: 'default', name: 'base' }))).toBeDefined();
      world.relay.restore();
      await world.eventually('base is gone', async () =>
        (await found(world.cluster.get(configMaps, { namespace: 'default', name: 'base' }))) ? undefined : true,
      );
      await createAddOn(world, 'base', {});
      await addOnConditionIs(world, 'base', 'Available', 'True');
      await expectOneOfEach();
    });

    it('a hub whose API server ends and restarts', async () => {
      await world.restartHub();
      await useTemplate(world, 'hello-v1');
      await arrived(world, 'example.com/hello:1');
      await expectOneOfEach();
    });

    it('a manager and an agent that are replaced while something changes', async () => {
      await manager.stop();
      await agent.stop();
      await world.hub.patch(clusterManagementAddOns, { name: 'base' }, { type: 'merge', patch: { metadata: { labels: { seen: 'yes' } } } });
      await useTemplate(world, 'hello-v2');
      manager = await world.startManager();
      agent = world.startAgent();
      await arrived(world, 'example.com/hello:2');
      await expectOneOfEach();
    });
  });
}
