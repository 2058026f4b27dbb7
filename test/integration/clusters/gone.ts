import {
  type ManagedCluster,
  clusterRoleBindings,
  clusterRoles,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, found } from '../identity/scenario.js';
import { type ServerTypes, type TwoServers, startTwoServers } from '../identity/two-servers.js';

const NAME = 'lost';

/** Defines the tests of a ManagedCluster that disappears before its finalizers have run. The tests run on any API server. */
export function describeGoneCluster(types: ServerTypes): void {
  describe(`a ManagedCluster that is gone, hub ${types.hub}`, { timeout: 120_000 }, () => {
    let world: TwoServers;
    beforeAll(async () => {
      world = await startTwoServers(types);
      await world.startManager();
    }, 240_000);
    afterAll(() => world?.stop());

    const cluster = (name: string): ManagedCluster => ({
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name },
      spec: { hubAcceptsClient: true },
    });

    async function accept(name: string): Promise<void> {
      const { hub } = world;
      await hub.create(managedClusters, cluster(name));
      await world.eventually('the cluster has what it needs', async () =>
        (await found(hub.get(leases, { namespace: name, name: 'managed-cluster-lease' }))) ? true : undefined,
      );
      await hub.create(managedClusterAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ManagedClusterAddOn',
        metadata: { name: 'orphan', namespace: name },
        spec: {},
      });
      await hub.create(manifestWorks, {
        apiVersion: 'work.open-cluster-management.io/v1',
        kind: 'ManifestWork',
        metadata: { name: 'orphan', namespace: name },
        spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }] } },
      });
    }

    /** Deletes a cluster and removes its finalizers, as a script does to force a deletion. */
    async function tearAway(name: string): Promise<void> {
      const { hub } = world;
      await hub.delete(managedClusters, { name });
      await world.eventually('the finalizers are off', async () => {
        const answer = await answerOf(hub.patch(managedClusters, { name }, { type: 'merge', patch: { metadata: { finalizers: null } } }));
        expect(['allowed', 'NotFound', 'Conflict']).toContain(answer);
        return (await found(hub.get(managedClusters, { name }))) ? undefined : true;
      });
    }

    it('leaves nothing but its Namespace', async () => {
      const { hub } = world;
      await accept('stays');
      await accept(NAME);
      // The finalizer of another controller keeps the work, so that the manager cannot finish the deletion before the test removes the
      // finalizers.
      await hub.patch(
        manifestWorks,
        { namespace: NAME, name: 'orphan' },
        { type: 'merge', patch: { metadata: { finalizers: ['example.com/held'] } } },
      );
      await tearAway(NAME);
      await hub.patch(manifestWorks, { namespace: NAME, name: 'orphan' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await world.eventually('nothing of the cluster is left', async () => {
        const own = { name: `open-cluster-management:managedcluster:${NAME}` };
        const left = [
          ...(await hub.list(managedClusterAddOns, { namespace: NAME })).items,
          ...(await hub.list(manifestWorks, { namespace: NAME })).items,
          ...(await hub.list(roleBindings, { namespace: NAME })).items,
          ...(await hub.list(leases, { namespace: NAME })).items,
          await found(hub.get(clusterRoles, own)),
          await found(hub.get(clusterRoleBindings, own)),
        ].filter((object) => object !== undefined);
        return left.length === 0 ? true : undefined;
      });
      expect(await found(hub.get(namespaces, { name: NAME }))).toBeDefined();
      expect((await hub.list(managedClusterAddOns, { namespace: 'stays' })).items).toHaveLength(1);
      expect((await hub.list(manifestWorks, { namespace: 'stays' })).items).toHaveLength(1);
      expect((await hub.list(roleBindings, { namespace: 'stays' })).items.length).toBeGreaterThan(0);
    });
  });
}
