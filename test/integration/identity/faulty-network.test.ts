import { createHub } from '@outrigger/hub';
import { certificateSigningRequests, clusterManagementAddOns } from '@outrigger/api';
import { readCertificate } from '@outrigger/core/x509';
import { createClient } from '@outrigger/kube';
import { connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import { ADDON, CLUSTER, SIGNER, announced, credential, giveBootstrap, installHello, joined, rightsOf, secretsOf } from './scenario.js';
import { VirtualWorld } from './world.js';
import { FAULTY_NETWORK } from '../../world/simulated.js';

const SEEDS = Number(process.env['OUTRIGGER_SEEDS'] ?? 5);
describe('identity with lag, lost requests, broken watches and crashes of both sides', () => {
  /** Restarts a process a few times, at times that the seed determines. */
  function restarting(world: VirtualWorld, start: () => Promise<() => void>): void {
    let lives = 0;
    const next = async (): Promise<void> => {
      const crash = await start();
      if (++lives > 3) return;
      world.simulator.schedule(300 + world.simulator.random.next() * 8_000, () => {
        crash();
        world.simulator.schedule(world.simulator.random.next() * 1_000, () => void next());
      });
    };
    void next();
  }

  async function tell(seed: number): Promise<readonly string[]> {
    const world = await VirtualWorld.start(seed);
    const story = await world.story();
    await world.run(giveBootstrap(story, { token: 'joiner' }));
    let managers = 0;
    restarting(world, async () => {
      const runtime = createVirtualRuntime(world.simulator, `manager-${managers++}`);
      const transport = connect(world.simulator, world.hubServer.transport(), { client: runtime, faults: FAULTY_NETWORK });
      const bootstrap = { users: ['system:bootstrap:joiner'], groups: [] };
      void createHub({ runtime, client: createClient({ transport, runtime }), namespace: 'default', bootstrap }).start();
      return () => runtime.crash();
    });
    restarting(world, async () => {
      const process = await world.startAgent();
      Object.assign(process.faults, FAULTY_NETWORK);
      return () => process.crash();
    });
    await world.run(
      (async () => {
        await announced(story);
        await acceptCluster(world.hub, CLUSTER);
        await joined(story);
        const { person } = world;
        await installHello(story);
        const kube = await credential(story, `${ADDON}-hub-kubeconfig`);
        const client = story.connect({ server: '', clientCertificate: { data: kube['tls.crt'] ?? '' } });
        await story.eventually('the add-on may write', async () => {
          const rights = await rightsOf(client);
          return rights['read its report'] === 'allowed' ? true : undefined;
        });
        const signed = await credential(story, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
        expect((await readCertificate(person.keys, signed['tls.crt'] ?? '')).subject.commonName).toBe('hello');
        // No request is duplicated, even if messages were lost: there is one request for the agent and one per registration.
        const { items } = await world.hub.list(certificateSigningRequests);
        expect({ seed, requests: items.length }).toEqual({ seed, requests: 3 });
        await world.hub.delete(clusterManagementAddOns, { name: ADDON });
        await story.eventually('the Secrets are gone', async () => ((await secretsOf(story, ADDON)).length === 0 ? true : undefined));
      })(),
    );
    return world.simulator.log;
  }

  it('produces the same log for the same seed', async () => {
    const first = await tell(1);
    expect(await tell(1)).toEqual(first);
  });

  it.each(Array.from({ length: SEEDS }, (_, index) => index + 2))('ends well for seed %i', async (seed) => {
    await tell(seed);
  });
});
