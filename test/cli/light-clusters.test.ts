import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ManagedCluster,
  type ManifestWork,
  clusterManagementAddOns,
  deployments,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type LocalFleet, installSamples, startLocalFleet } from '@outrigger/cli';
import { findCondition, isConditionTrue } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { eventually } from '../world/eventually.js';

/** In a large local fleet, clusters without a port have no API server. Their reports must equal those of a cluster with an agent. */
describe('a local fleet with clusters that have no API server', () => {
  const FULL = 'cluster1';
  const LIGHT = 'cluster2';
  const OTHER = 'cluster3';
  let runtime: ReturnType<typeof createRealRuntime>;
  let fleet: LocalFleet;
  const until = async (what: string, isTrue: () => Promise<boolean>): Promise<void> =>
    void (await eventually({ ...runtime, patience: { everyMs: 100, limitMs: 45_000 } }, what, async () => (await isTrue()) || undefined));

  beforeAll(async () => {
    runtime = createRealRuntime({ log: createLogger({ level: 'fatal' as never }) });
    fleet = await startLocalFleet({ runtime, clusters: 3, port: 0, clusterPorts: 1, readyAfterMs: 50, maxFullClusters: 2 });
    await installSamples(fleet.hub);
  });
  afterAll(async () => {
    await fleet.stop();
    runtime.scope.close();
  });

  const workOf = async (cluster: string): Promise<ManifestWork | undefined> => {
    const { items } = await fleet.hub.list(manifestWorks, { namespace: cluster });
    return items.find(({ metadata }) => metadata.labels?.['open-cluster-management.io/addon-name'] === 'hello');
  };
  const runs = async (cluster: string, image: string): Promise<boolean> => {
    const work = await workOf(cluster);
    const clusterAddOn = await fleet.hub.get(managedClusterAddOns, { namespace: cluster, name: 'hello' }).catch(() => undefined);
    return (
      JSON.stringify(work?.spec ?? {}).includes(image) &&
      findCondition(work?.status?.conditions, 'Available')?.observedGeneration === work?.metadata.generation &&
      isConditionTrue(work?.status?.conditions, 'Available') &&
      isConditionTrue(clusterAddOn?.status?.conditions, 'Available') &&
      findCondition(clusterAddOn?.status?.conditions, 'Progressing')?.reason === 'Succeed'
    );
  };

  it('reports works as an agent reports them', async () => {
    for (const cluster of [FULL, LIGHT, OTHER]) await until(`hello runs on ${cluster}`, () => runs(cluster, 'hello:v1'));
    expect(comparable((await workOf(LIGHT))?.status)).toEqual(comparable((await workOf(FULL))?.status));
  });

  it('reports the cluster as an agent reports it, and renews its lease', async () => {
    const read = (name: string): Promise<ManagedCluster> => fleet.hub.get(managedClusters, { name });
    for (const name of [FULL, LIGHT]) {
      await until(`${name} is available`, async () =>
        isConditionTrue((await read(name)).status?.conditions, 'ManagedClusterConditionAvailable'),
      );
    }
    const reported = async (name: string): Promise<unknown> => {
      const { conditions = [], ...status } = (await read(name)).status ?? {};
      const ofAgents = ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map((type) => findCondition(conditions, type));
      return comparable({ ...status, ofAgents });
    };
    expect(await reported(LIGHT)).toEqual(await reported(FULL));
    await fleet.hub.patch(managedClusters, { name: LIGHT }, { type: 'merge', patch: { spec: { leaseDurationSeconds: 1 } } });
    const key = { namespace: LIGHT, name: 'managed-cluster-lease' };
    const before = (await fleet.hub.get(leases, key)).spec?.renewTime;
    await until('the lease is renewed', async () => (await fleet.hub.get(leases, key)).spec?.renewTime !== before);
  });

  it('reports an edit', async () => {
    const patch = {
      spec: {
        supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v2' } }],
      },
    };
    await fleet.hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch });
    for (const cluster of [FULL, LIGHT]) await until(`${cluster} has the edit`, () => runs(cluster, 'hello:v2'));
  });

  it('starts an API server and an agent for a cluster whose work needs them', async () => {
    expect(() => fleet.cluster(LIGHT)).toThrow('with an API server');
    await fleet.hub.create(manifestWorks, {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: { name: 'elsewhere', namespace: LIGHT },
      spec: {
        workload: {
          manifests: [
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'absent' }, data: { a: 'b' } } as never,
          ],
        },
      },
    });
    await until('the work is reported as failed', async () => {
      const { status } = await fleet.hub.get(manifestWorks, { namespace: LIGHT, name: 'elsewhere' });
      return findCondition(status?.conditions, 'Applied')?.status === 'False';
    });
    // The cluster now has an API server, on which its agent applies the add-on.
    await until('the add-on runs on it', async () => (await fleet.cluster(LIGHT).list(deployments)).items.length > 0);
    expect(() => fleet.cluster(OTHER)).toThrow('with an API server');
  });

  it('reports an add-on that is deleted and installed again', async () => {
    const before = await fleet.hub.get(managedClusterAddOns, { namespace: OTHER, name: 'hello' });
    await fleet.hub.delete(managedClusterAddOns, { namespace: OTHER, name: 'hello' });
    await until('a new add-on runs', async () => {
      const after = await fleet.hub.get(managedClusterAddOns, { namespace: OTHER, name: 'hello' }).catch(() => undefined);
      return after?.metadata.uid !== undefined && after.metadata.uid !== before.metadata.uid && runs(OTHER, 'hello:v2');
    });
  });
});

/** Returns the value without times, and without the generation of objects, which also counts changes by other writers. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, member: unknown) => {
      if (key === 'lastTransitionTime' || key === 'observedGeneration') return undefined;
      const isGeneration = Array.isArray(member) && member.some(({ name }: { readonly name?: string }) => name === 'Generation');
      return isGeneration ? member.filter(({ name }) => name !== 'Generation' && name !== 'ObservedGeneration') : member;
    }),
  );
}
