import { createAgent } from '@outrigger/agent';
import { type Deployment, KIND_DEFINITIONS, customResourceDefinition, deployments } from '@outrigger/api';
import type { Kind } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, startKube } from '../harness/index.js';
import { CLUSTER_NAME, type ThreadWorld, arrived, declare, editTemplate, remove } from '../integration/thread/scenario.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const CRD_KIND: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

describe('the thread on two real API servers', () => {
  const stops: (() => Promise<void>)[] = [];
  let world: ThreadWorld;

  beforeAll(async () => {
    const [hubKube, clusterKube] = await Promise.all([startKube({ controllerManager: true }), startKube({ controllerManager: true })]);
    stops.push(
      () => hubKube.stop(),
      () => clusterKube.stop(),
    );
    const hub = await clientOf(hubKube, 'http/1.1');
    const cluster = await clientOf(clusterKube, 'http/1.1');
    await Promise.all([installKinds(hub), installKinds(cluster)]);
    const managers = [
      createHub({ runtime, client: hub, namespace: 'default', placement: false, clusters: false }),
      createAgent({
        runtime,
        hub: await clientOf(hubKube, 'h2'),
        cluster,
        clusterName: CLUSTER_NAME,
        hubServer: hubKube.url,
        agentId: 'agent',
      }),
    ];
    for (const manager of managers) {
      await manager.start();
      stops.push(() => manager.stop());
    }
    world = { hub, cluster, eventually, runPods: (deployment) => reportReady(cluster, deployment) };
  }, 180_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('installs, follows an edit of its template, and leaves nothing behind', async () => {
    await declare(world);
    const installed = await arrived(world, 'example.com/hello:1');
    expect(installed).toMatchObject({
      conditions: { Configured: 'True ConfigurationsConfigured', Progressing: 'False Succeed', Available: 'True ProbeAvailable' },
      versions: { current: 'v1', last: '', install: 'v1' },
      args: ['--cluster=cluster1'],
      works: ['addon-hello-deploy-0'],
    });
    await editTemplate(world, 'example.com/hello:2');
    expect(await arrived(world, 'example.com/hello:2')).toEqual({ ...installed, image: 'example.com/hello:2' });
    await remove(world);
  });

  async function clientOf(kube: RealKube, protocol: 'http/1.1' | 'h2'): Promise<Client> {
    const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
    const transport = createHttpTransport(connection, runtime, { protocol });
    stops.push(() => transport.close());
    return createClient({ transport, runtime });
  }
});

async function installKinds(client: Client): Promise<void> {
  for (const definition of KIND_DEFINITIONS) await client.create(CRD_KIND, customResourceDefinition(definition));
  await eventually('the kinds are served', async () => {
    client.discovery.invalidate();
    const served = await Promise.all(
      KIND_DEFINITIONS.map(({ group, kind, versions }) => client.discovery.serves({ group, kind, version: versions[0]?.version ?? '' })),
    );
    return served.every(Boolean) ? true : undefined;
  });
}

async function eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = await condition();
    if (found !== undefined) return found;
    await runtime.timers.sleep(100);
  }
  throw new Error(`waited in vain for: ${what}`);
}

/** No kubelet runs here: somebody has to say that the pods are up. */
async function reportReady(cluster: Client, deployment: Deployment): Promise<void> {
  const generation = deployment.metadata.generation ?? 1;
  const condition = {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
  };
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const { name = '', namespace = '' } = deployment.metadata;
  const patch = { status: { observedGeneration: generation, ...counts, conditions: [condition] } };
  await cluster.patch(deployments, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
}
