import { createAgent } from '@outrigger/agent';
import { createControlPlane } from '@outrigger/control-plane';
import { createHub } from '@outrigger/hub';
import { type Manager, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterEach, describe, expect, it } from 'vitest';
import { PLACED, arrivesInItsNamespace, defaultNamespaceComesBack } from './install-namespace.js';
import { CLUSTER_NAME, type ThreadWorld, arrived, declare, editTemplate, remove } from './scenario.js';
import { eventually } from '../../world/eventually.js';
import { definitionsOf } from '../../world/simulation.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A hub, one simulated cluster, a manager and an agent in this process, connected by their usual interfaces. */
async function startWorld(): Promise<ThreadWorld> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const crds = definitionsOf();
  const hubServer = await createControlPlane({ runtime, storage: 'memory', crds });
  const clusterServer = await createControlPlane({ runtime, storage: 'memory', crds, simulateWorkloads: { readyAfterMs: 10 } });
  for (const server of [hubServer, clusterServer]) {
    await server.start();
    stops.push(() => server.stop());
  }
  const hub = createClient({ transport: hubServer.transport(), runtime });
  const cluster = createClient({ transport: clusterServer.transport(), runtime });
  const managers: Manager[] = [
    createHub({ runtime, client: hub, namespace: 'default', placement: false, clusters: false }),
    createAgent({ runtime, hub, cluster, clusterName: CLUSTER_NAME, hubServer: 'https://hub', agentId: 'agent' }),
  ];
  for (const manager of managers) {
    await manager.start();
    stops.push(() => manager.stop());
  }
  return { hub, cluster, eventually: (what, condition) => eventually(runtime, what, condition) };
}

describe('one add-on from declaration to Available', () => {
  it('installs, follows an edit of its template, and leaves nothing behind', async () => {
    const world = await startWorld();
    await declare(world);
    const installed = await arrived(world, 'example.com/hello:1');
    expect(installed).toEqual({
      conditions: {
        Configured: 'True ConfigurationsConfigured',
        Progressing: 'False Succeed',
        RegistrationApplied: 'True NilRegistration',
        Available: 'True ProbeAvailable',
        ManifestApplied: 'True AddonManifestApplied',
      },
      versions: { current: 'v1', last: '', install: 'v1' },
      image: 'example.com/hello:1',
      args: ['--cluster=cluster1'],
      works: ['addon-hello-deploy-0'],
    });

    await editTemplate(world, 'example.com/hello:2');
    const edited = await arrived(world, 'example.com/hello:2');
    expect(edited).toEqual({ ...installed, image: 'example.com/hello:2' });

    await remove(world);
  });

  it('no add-on waits for an install namespace that does not exist', async () => {
    const world = await startWorld();
    await declare(world);
    await defaultNamespaceComesBack(world);
    for (const placed of PLACED) await arrivesInItsNamespace(world, placed);
  });
});
