import { createAgent } from '@outrigger/agent';
import { createHub } from '@outrigger/hub';
import type { Manager } from '@outrigger/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { PLACED, arrivesInItsNamespace, defaultNamespaceComesBack } from './install-namespace.js';
import { CLUSTER_NAME, type ThreadWorld, arrived, declare, editTemplate, remove } from './scenario.js';
import { EmbeddedWorld } from '../../world/embedded.js';
import { definitionsOf } from '../../world/simulation.js';

let world: EmbeddedWorld | undefined;
afterEach(() => world?.stop());

/** Starts a hub, one simulated cluster, a manager and an agent in this process, connected by their usual interfaces. */
async function startWorld(): Promise<ThreadWorld> {
  const started = await EmbeddedWorld.create({ hasRealClock: true });
  world = started;
  const crds = definitionsOf();
  const hubServer = await started.startServer('hub', { crds });
  const clusterServer = await started.startServer('cluster', { crds, simulateWorkloads: { readyAfterMs: 10 } });
  const manager = started.process('manager');
  const agent = started.process('agent');
  const [hub, cluster] = [started.client(hubServer.transport(), agent), started.client(clusterServer.transport(), agent)];
  const managers: Manager[] = [
    createHub({
      runtime: manager,
      client: started.client(hubServer.transport(), manager),
      namespace: 'default',
      placement: false,
      clusters: false,
    }),
    createAgent({ runtime: agent, hub, cluster, clusterName: CLUSTER_NAME, hubServer: 'https://hub', agentId: 'agent' }),
  ];
  for (const one of managers) {
    await one.start();
    started.onStop(() => one.stop());
  }
  return { hub: started.client(hubServer.transport()), cluster: started.client(clusterServer.transport()), eventually: started.eventually };
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
