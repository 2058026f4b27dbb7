import type { JoiningAgent } from '@outrigger/agent';
import {
  AGENT_NAMESPACE,
  DEFAULT_INSTALL_NAMESPACE,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoles,
  leases,
  managedClusterAddOns,
  managedClusters,
  namespaces,
  secrets,
  serviceAccounts,
} from '@outrigger/api';
import { isConditionTrue } from '@outrigger/core';
import { readCertificate } from '@outrigger/core/x509';
import { createJoinToken } from '@outrigger/hub';
import type { Manager } from '@outrigger/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import { arrived } from './arrived.js';
import { inventory, settledInventory } from './inventory.js';
import {
  ADDON,
  ADDON_NAMESPACE,
  AUTHORITY_SECRET,
  CLUSTER,
  HELLO_RIGHTS,
  HELLO_ROLE,
  SIGNER,
  addOnConditionIs,
  answerOf,
  clusterConditionIs,
  createAddOn,
  credential,
  declareBase,
  declareLeased,
  found,
  giveBootstrap,
  helloTemplate,
  installHello,
  joined,
  renewLease,
  rightsOf,
  sayLeaseMode,
  secretsOf,
  useTemplate,
} from './scenario.js';
import { type ServerTypes, type TwoServers, startTwoServers } from './two-servers.js';

const LEASED = 'leased';
/** A lease that is short enough for a test to wait until it expires. */
const LEASE_SECONDS = 2;
/** A lease that is long enough for the rest of the scenario, even on a slow machine. */
const LONG_LEASE_SECONDS = 3_600;
const NEEDS_BASE = [{ name: 'base', message: 'hello greets through base' }];
const MISSING = {
  reason: 'RequiredDependencyNotSatisfied',
  message: "Required addon 'base' is not installed or not available. hello greets through base",
};

/** Defines the test of a cluster and its add-ons from joining to leaving. The test is the same on every kind of server. */
export function describeWholeStory(types: ServerTypes): void {
  describe(`the whole story, hub ${types.hub}, cluster ${types.cluster}`, { timeout: 120_000 }, () => {
    let world: TwoServers;
    let manager: Manager;
    let agent: JoiningAgent;
    let before: Record<'hub' | 'cluster', readonly string[]>;
    /** Waits for a second of real time, because nothing reports that the controllers of a new server have created all their objects. */
    const rest = (): Promise<void> => world.runtime.timers.sleep(1_000);

    beforeAll(async () => {
      world = await startTwoServers(types);
      manager = await world.startManager();
      const [hub, cluster] = await Promise.all([settledInventory(world.hub, rest), settledInventory(world.cluster, rest)]);
      before = { hub, cluster };
    }, 240_000);
    afterAll(() => world?.stop());

    it('AT-09 joins with a token that waits for a person and dies with the join, and reports how the cluster is', async () => {
      const { token } = await createJoinToken({ client: world.hub, runtime: world.runtime, cluster: CLUSTER, accept: false });
      await giveBootstrap(world, { token });
      agent = world.startAgent();
      await world.eventually('the agent knocks', async () => (agent.phase === 'joining' ? true : undefined));
      await acceptCluster(world.hub, CLUSTER);
      const own = await joined(world);
      expect(Object.keys(own.data ?? {}).sort()).toEqual(['agent-name', 'cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
      await clusterConditionIs(world, 'ManagedClusterJoined', 'True');
      await clusterConditionIs(world, 'ManagedClusterConditionAvailable', 'True');
      await world.eventually('the token’s account is gone', async () =>
        (await found(world.hub.get(serviceAccounts, { namespace: 'outrigger-join', name: CLUSTER }))) ? undefined : true,
      );
      const late = world.connect({ server: world.hubServer, ca: { data: world.hubCa }, token });
      // A real server may still accept the token for some seconds, but the token has no permissions.
      await world.eventually('the token is worth nothing', async () => {
        const answer = await answerOf(late.get(managedClusters, { name: CLUSTER }));
        expect(['Forbidden', 'Unauthorized']).toContain(answer);
        return answer === 'Unauthorized' ? true : undefined;
      });
    });

    it('installs a template add-on whose kubeconfig has exactly the rights of its template', async () => {
      const { keys } = world.runtime;
      await declareBase(world);
      await createAddOn(world, 'base', {});
      await installHello(world, { dependencies: NEEDS_BASE });
      expect(await arrived(world, 'example.com/hello:1')).toEqual({ last: '', install: 'v1', current: 'v1' });
      const client = await world.mounted(await credential(world, `${ADDON}-hub-kubeconfig`));
      expect(await rightsOf(client)).toEqual(HELLO_RIGHTS);
      const signed = await credential(world, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
      expect(await readCertificate(keys, signed['tls.crt'] ?? '')).toMatchObject({
        subject: { commonName: 'hello', organizations: ['g1'], organizationalUnits: ['u1'] },
        issuer: { commonName: 'hello-ca' },
        usages: ['client auth'],
        isCA: false,
      });
      await addOnConditionIs(world, ADDON, 'ClusterCertificateRotated', 'True');
    });

    it('follows the lease of an add-on: kept, missed, kept again', async () => {
      await declareLeased(world, LEASED, NEEDS_BASE);
      await createAddOn(world, LEASED, {});
      await sayLeaseMode(world, LEASED);
      await addOnConditionIs(world, LEASED, 'Available', 'Unknown');
      await world.eventually('available while it is renewed', async () => {
        await renewLease(world, LEASED, LEASE_SECONDS);
        const { status } = await world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: LEASED });
        return isConditionTrue(status?.conditions, 'Available') ? true : undefined;
      });
      expect(await addOnConditionIs(world, LEASED, 'Available', 'False')).toMatchObject({
        reason: 'ManagedClusterAddOnLeaseUpdateStopped',
      });
      await renewLease(world, LEASED, LONG_LEASE_SECONDS);
      await addOnConditionIs(world, LEASED, 'Available', 'True');
    });

    it('is not available while a required dependency is missing, whichever component reports its health, and recovers by itself', async () => {
      await world.hub.delete(managedClusterAddOns, { namespace: CLUSTER, name: 'base' });
      for (const addOn of [ADDON, LEASED]) expect(await addOnConditionIs(world, addOn, 'Available', 'False')).toMatchObject(MISSING);
      await world.eventually('base is gone', async () =>
        (await found(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'base' }))) ? undefined : true,
      );
      await createAddOn(world, 'base', {});
      for (const addOn of [ADDON, LEASED]) await addOnConditionIs(world, addOn, 'Available', 'True');
    });

    it('seed 000, example 2 as printed: an add-on without a template or health mode is not available without what it requires', async () => {
      const name = 'my-critical-addon';
      await world.hub.create(clusterManagementAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec: {
          addOnMeta: { displayName: 'My Critical Addon', description: 'An addon that requires ManagedServiceAccount API' },
          dependencies: [{ name: 'managed-serviceaccount', message: 'This addon cannot function without ManagedServiceAccount API' }],
          installStrategy: { type: 'Manual' },
        },
      });
      await createAddOn(world, name, {});
      const printed = {
        reason: 'RequiredDependencyNotSatisfied',
        message:
          "Required addon 'managed-serviceaccount' is not installed or not available. This addon cannot function without ManagedServiceAccount API",
      };
      expect(await addOnConditionIs(world, name, 'Degraded', 'True')).toMatchObject(printed);
      expect(await addOnConditionIs(world, name, 'Available', 'False')).toMatchObject(printed);
      await world.hub.delete(clusterManagementAddOns, { name });
      await world.eventually(`${name} is gone`, async () =>
        (await found(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name }))) ? undefined : true,
      );
    });

    it('an add-on of another manager that publishes no health mode is available by its lease', async () => {
      const name = 'silent';
      const managementAddOn = {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec: {},
      };
      await world.hub.create(clusterManagementAddOns, managementAddOn);
      await createAddOn(world, name, {});
      const patch = { status: { namespace: ADDON_NAMESPACE } };
      await world.hub.patch(managedClusterAddOns, { namespace: CLUSTER, name }, { type: 'merge', patch }, { subresource: 'status' });
      await renewLease(world, name, LONG_LEASE_SECONDS);
      expect(await addOnConditionIs(world, name, 'Available', 'True')).toMatchObject({ reason: 'ManagedClusterAddOnLeaseUpdated' });
      // Delete both objects, because the hub may not have made the declaration the owner of the add-on yet.
      await world.hub.delete(managedClusterAddOns, { namespace: CLUSTER, name });
      await world.hub.delete(clusterManagementAddOns, { name });
      await world.eventually(`${name} is gone`, async () =>
        (await found(world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name }))) ? undefined : true,
      );
      await world.cluster.delete(leases, { namespace: ADDON_NAMESPACE, name });
    });

    it('is upgraded and rolled back', async () => {
      const before = await credential(world, `${ADDON}-hub-kubeconfig`);
      await world.hub.create(addOnTemplates, helloTemplate('v2'));
      await useTemplate(world, 'hello-v2');
      expect(await arrived(world, 'example.com/hello:2')).toEqual({ last: 'v1', install: 'v2', current: 'v2' });
      await useTemplate(world, 'hello-v1');
      expect(await arrived(world, 'example.com/hello:1')).toEqual({ last: 'v2', install: 'v1', current: 'v1' });
      expect(await credential(world, `${ADDON}-hub-kubeconfig`)).toEqual(before);
    });

    it('leaves nothing of an add-on behind', async () => {
      for (const name of [ADDON, LEASED, 'base']) await world.hub.delete(clusterManagementAddOns, { name });
      for (const name of ['hello-v1', 'hello-v2', 'base-v1']) await world.hub.delete(addOnTemplates, { name });
      await world.hub.delete(clusterRoles, { name: HELLO_ROLE });
      await world.hub.delete(secrets, { namespace: 'default', name: AUTHORITY_SECRET });
      await world.eventually('the Secrets are gone', async () => ((await secretsOf(world, ADDON)).length === 0 ? true : undefined));
      await world.eventually('the add-ons are gone', async () =>
        (await world.hub.list(managedClusterAddOns)).items.length === 0 ? true : undefined,
      );
    });

    it('leaves nothing of the cluster behind, on either side', async () => {
      await world.hub.delete(managedClusters, { name: CLUSTER });
      await world.eventually('the cluster is gone', async () =>
        (await found(world.hub.get(managedClusters, { name: CLUSTER }))) ? undefined : true,
      );
      // The cluster's administrator deletes the namespaces of the agent and of add-ons, which also removes the agent and the add-on's
      // lease.
      await agent.stop();
      const made = [AGENT_NAMESPACE, ADDON_NAMESPACE, DEFAULT_INSTALL_NAMESPACE];
      for (const name of made) await found(world.cluster.delete(namespaces, { name }));
      await world.eventually('the namespaces are gone', async () => {
        const left = await Promise.all(made.map((name) => found(world.cluster.get(namespaces, { name }))));
        return left.every((namespace) => namespace === undefined) ? true : undefined;
      });
      await world.eventually('the cluster has what it had before', async () => {
        expect(await inventory(world.cluster)).toEqual(before.cluster);
        return true;
      });
      // The cluster's namespace stays on the hub, as with upstream, because it may contain other objects. The add-on's own objects in it
      // stay too.
      const kept = [
        `configmaps. ${CLUSTER}/hello-report`,
        `configmaps. ${CLUSTER}/kube-root-ca.crt`,
        'configmaps. outrigger-join/kube-root-ca.crt',
        `namespaces. ${CLUSTER}`,
        'namespaces. outrigger-join',
        `serviceaccounts. ${CLUSTER}/default`,
        'serviceaccounts. outrigger-join/default',
      ].sort();
      await world.eventually('the hub has what stays', async () => {
        expect((await inventory(world.hub)).filter((object) => !before.hub.includes(object))).toEqual(kept);
        return true;
      });
      expect(manager.isActive).toBe(true);
    });
  });
}
