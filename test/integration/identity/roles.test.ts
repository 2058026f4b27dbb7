import { AGENT_NAMESPACE, type ManifestWork, manifestWorks, secrets } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import { CLUSTER, announced, clusterConditionIs, found, giveBootstrap } from './scenario.js';
import { VirtualWorld } from './world.js';

const NAMES = { bootstrap: 'my-bootstrap', hub: 'my-credential' };

describe('an agent in two processes, with Secrets of other names', () => {
  it('joins by the one that registers, and applies works by the other, also after the certificate was renewed', async () => {
    const world = await VirtualWorld.start(7);
    world.startManager();
    await world.run(
      (async () => {
        const story = await world.story();
        await giveBootstrap(story, { token: 'joiner' });
        const given = await story.cluster.get(secrets, { namespace: AGENT_NAMESPACE, name: 'bootstrap-hub-kubeconfig' });
        await story.cluster.create(secrets, { ...given, metadata: { namespace: AGENT_NAMESPACE, name: NAMES.bootstrap } });
        await story.cluster.delete(secrets, { namespace: AGENT_NAMESPACE, name: 'bootstrap-hub-kubeconfig' });

        const worker = await world.startAgent(CLUSTER, {}, CLUSTER, () => 'pass', { roles: 'work', secretNames: NAMES });
        const settings = { certificateSeconds: 3_600 };
        const more = { roles: 'registration', secretNames: NAMES, labels: { env: 'test' } } as const;
        await world.startAgent(CLUSTER, settings, CLUSTER, () => 'pass', more);
        expect((await announced(story)).metadata.labels).toMatchObject({ env: 'test' });
        await acceptCluster(world.hub, CLUSTER);
        await clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True');
        expect(await found(story.cluster.get(secrets, { namespace: AGENT_NAMESPACE, name: 'hub-kubeconfig-secret' }))).toBeUndefined();
        await works(world, 'first');
        const before = await story.cluster.get(secrets, { namespace: AGENT_NAMESPACE, name: NAMES.hub });
        for (let hours = 0; hours < 3; hours++) await world.person.timers.sleep(3_600_000);
        const after = await story.cluster.get(secrets, { namespace: AGENT_NAMESPACE, name: NAMES.hub });
        expect(after.data?.['tls.crt']).not.toBe(before.data?.['tls.crt']);
        await works(world, 'second');
        expect(worker.traffic.hub.filter(({ path }) => path.includes('certificatesigningrequests'))).toEqual([]);
      })(),
    );
  });
});

/** Creates a work and waits until it is applied. */
async function works(world: VirtualWorld, name: string): Promise<void> {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { a: '1' } };
  await world.hub.create(manifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { namespace: CLUSTER, name },
    spec: { workload: { manifests: [manifest] } },
  });
  const story = await world.story();
  await story.eventually(`work ${name} is applied`, async () => {
    const work: ManifestWork = await world.hub.get(manifestWorks, { namespace: CLUSTER, name });
    return findCondition(work.status?.conditions, 'Applied')?.status === 'True' ? true : undefined;
  });
}
