import { type CertificateSigningRequest, certificateSigningRequests, clusterAgentUser, serviceAccounts } from '@outrigger/api';
import { createJoinToken } from '@outrigger/hub';
import { describe, expect, it } from 'vitest';
import { type AgentProcess, VirtualWorld } from './world.js';
import { CLUSTER, type IdentityWorld, clusterConditionIs, found, giveBootstrap } from './scenario.js';

const SETTINGS = { certificateSeconds: 600 };
const JOIN_USER = `system:serviceaccount:outrigger-join:${CLUSTER}`;

class World {
  readonly world: VirtualWorld;
  readonly story: IdentityWorld;

  private constructor(world: VirtualWorld, story: IdentityWorld) {
    this.world = world;
    this.story = story;
  }

  static async start(seed: number): Promise<World> {
    const world = await VirtualWorld.start(seed);
    return new World(world, await world.story());
  }

  /** Creates a token and gives it to the agent. An earlier token becomes invalid. */
  async giveToken(again: boolean): Promise<void> {
    const { world, story } = this;
    const { token } = await world.run(createJoinToken({ client: world.hub, runtime: world.person, cluster: CLUSTER, again }));
    await world.run(giveBootstrap(story, { token }));
  }

  /** Waits for a certificate request of the user that is not one of `known`. */
  requestBy(user: string, known: readonly CertificateSigningRequest[] = []): Promise<CertificateSigningRequest> {
    const names = new Set(known.map(({ metadata }) => metadata.name));
    return this.world.run(
      this.story.eventually(`a request of ${user}`, async () => {
        const { items } = await this.world.hub.list<CertificateSigningRequest>(certificateSigningRequests);
        return items.find(({ metadata, spec }) => spec.username === user && !names.has(metadata.name));
      }),
    );
  }

  async joined(process: AgentProcess): Promise<void> {
    const { world, story } = this;
    await world.run(story.eventually('the agent has joined', async () => (process.agent.phase === 'joined' ? true : undefined)));
    await world.run(clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True'));
    await world.run(
      story.eventually('the token’s account is gone', async () =>
        (await found(world.hub.get(serviceAccounts, { namespace: 'outrigger-join', name: CLUSTER }))) ? undefined : true,
      ),
    );
  }

  async issued({ metadata: { name = '' } }: CertificateSigningRequest): Promise<void> {
    const manager = this.world.startManager();
    await this.world.run(
      this.story.eventually('the certificate', async () => {
        const { status } = await this.world.hub.get<CertificateSigningRequest>(certificateSigningRequests, { name });
        return status?.certificate;
      }),
    );
    // Wait until the manager has recorded the issued certificate.
    await this.world.simulator.advance(2_000);
    manager.crash();
  }

  async denied({ metadata: { name = '' } }: CertificateSigningRequest): Promise<void> {
    const conditions = [{ type: 'Denied', status: 'True', reason: 'Test', message: 'no' }];
    const patch = { type: 'merge', patch: { status: { conditions } }, subresource: 'approval' } as const;
    await this.world.run(this.world.hub.patch(certificateSigningRequests, { name }, patch as never));
  }

  async deleted({ metadata: { name = '' } }: CertificateSigningRequest): Promise<void> {
    await this.world.run(this.world.hub.delete(certificateSigningRequests, { name }));
  }
}

function setConnected({ faults }: AgentProcess, isConnected: boolean): void {
  faults.dropBefore = isConnected ? 0 : 1;
  faults.breakWatch = isConnected ? 0 : 1;
}

const FATES: readonly { name: string; befall: (world: World, request: CertificateSigningRequest) => Promise<void> }[] = [
  { name: 'is not decided', befall: async () => undefined },
  { name: 'was denied', befall: (world, request) => world.denied(request) },
  { name: 'was deleted', befall: (world, request) => world.deleted(request) },
  { name: 'got a certificate that the agent did not receive', befall: (world, request) => world.issued(request) },
  {
    name: 'got a certificate that the agent did not receive, and was deleted',
    befall: async (world, request) => {
      await world.issued(request);
      await world.deleted(request);
    },
  },
];

describe('AT-41 an agent with the recorded key and a new token gets its certificate', () => {
  it.each(FATES.flatMap((fate) => [true, false].map((isRunning) => ({ ...fate, isRunning }))))(
    'if its renewal $name (the agent kept running: $isRunning)',
    async ({ befall, isRunning }) => {
      const scene = await World.start(41);
      const { world } = scene;
      const manager = world.startManager();
      await scene.giveToken(false);
      const first = await world.run(world.startAgent(CLUSTER, SETTINGS));
      await scene.joined(first);
      manager.crash();
      const request = await scene.requestBy(clusterAgentUser(CLUSTER, 'agent'));
      if (isRunning) setConnected(first, false);
      else first.crash();
      await befall(scene, request);
      await world.simulator.advance(30 * 60_000);

      world.startManager();
      setConnected(first, true);
      await scene.giveToken(true);
      const back = isRunning ? first : await world.run(world.startAgent(CLUSTER, SETTINGS));
      await scene.joined(back);
      expect(back.agent.phase).toBe('joined');
    },
  );

  it.each(FATES.flatMap((fate) => [true, false].map((again) => ({ ...fate, again }))))(
    'if the request that it made with an earlier token $name (it has joined before: $again)',
    async ({ befall, again }) => {
      const scene = await World.start(42);
      const { world } = scene;
      let known: CertificateSigningRequest[] = [];
      if (again) {
        const manager = world.startManager();
        await scene.giveToken(false);
        const first = await world.run(world.startAgent(CLUSTER, SETTINGS));
        await scene.joined(first);
        known = [await scene.requestBy(JOIN_USER)];
        first.crash();
        manager.crash();
        await world.simulator.advance(30 * 60_000);
      }
      const manager = world.startManager();
      await scene.giveToken(again);
      await world.simulator.advance(5_000);
      manager.crash();
      const agent = await world.run(world.startAgent(CLUSTER, SETTINGS));
      const request = await scene.requestBy(JOIN_USER, known);
      setConnected(agent, false);
      await befall(scene, request);
      await world.simulator.advance(30 * 60_000);

      world.startManager();
      setConnected(agent, true);
      await scene.giveToken(again);
      await scene.joined(agent);
      expect(agent.agent.phase).toBe('joined');
    },
  );
});
