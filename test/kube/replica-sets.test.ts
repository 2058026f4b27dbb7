import { afterAll, beforeAll, describe, it } from 'vitest';
import { startKube } from '../harness/index.js';
import { type ServerWorld, startServerWorld } from '../integration/clusters/server-world.js';
import { expectReplicaSetStory, expectWholeSoaks } from '../integration/replica-sets/expectations.js';
import { replicaSetStory } from '../integration/replica-sets/scenario.js';

describe('ManifestWorkReplicaSets on a real API server', () => {
  let world: ServerWorld;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = await startKube({ controllerManager: 'after kinds' });
    world = await startServerWorld(server);
    stop = async () => {
      await world.stop();
      await server.stop();
    };
  });
  afterAll(() => stop());

  it('moves clusters one at a time, follows its Placement, and deletes its works', async () => {
    const story = await replicaSetStory(world, world.now);
    expectReplicaSetStory(story);
    expectWholeSoaks(story);
  });
});
