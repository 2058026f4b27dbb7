import { afterAll, beforeAll, describe, it } from 'vitest';
import { startKube } from '../harness/index.js';
import { describeJoining } from '../integration/clusters/join.js';
import { type ServerWorld, startServerWorld } from '../integration/clusters/server-world.js';
import { expectPlacementStory } from '../integration/placement/expectations.js';
import { placementStory } from '../integration/placement/scenario.js';

// A server of its own: the manager looks after every cluster it finds, also those of other suites.
describe('placement and joining on a real API server', () => {
  let world: ServerWorld;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = await startKube({ controllerManager: true });
    world = await startServerWorld(server);
    stop = async () => {
      await world.stop();
      await server.stop();
    };
  }, 180_000);
  afterAll(() => stop());

  it('chooses, pages, moves, keeps what it has when misread, repairs and leaves nothing behind', async () => {
    expectPlacementStory(await placementStory(world));
  });
  describeJoining(() => world);
});
