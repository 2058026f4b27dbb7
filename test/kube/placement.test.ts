import { afterAll, beforeAll, describe, it } from 'vitest';
import { startKube } from '../harness/index.js';
import { describeJoining } from '../integration/clusters/join.js';
import { deletionStory, denialStory, forcedStory, namespaceStory } from '../integration/clusters/life.js';
import { type ServerWorld, startServerWorld } from '../integration/clusters/server-world.js';
import { expectPlacementStory } from '../integration/placement/expectations.js';
import { placementStory } from '../integration/placement/scenario.js';

function worldOfItsOwn(): () => ServerWorld {
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
  return () => world;
}

describe('placement and joining on a real API server', () => {
  const world = worldOfItsOwn();

  it('selects, pages, moves, keeps its decisions while misconfigured, repairs them and leaves nothing behind', async () => {
    expectPlacementStory(await placementStory(world()));
  });
  describeJoining(world);

  it('AT-07 a denied cluster may only see that it is; its certificate is not renewed', () => denialStory(world()));
});

// This suite uses another server, because objects that all clusters share are removed with the last cluster and the suite above leaves
// clusters behind.
describe('the end of clusters on a real API server', () => {
  const world = worldOfItsOwn();

  it('a deleted cluster leaves in order, with its agent at work to the end', () => deletionStory(world()));
  it('a cluster that never comes back is removed by force, and a record lists the objects left on it', () => forcedStory(world()));
  it('a cluster whose namespace is deleted gets a new one, with its agent at work to the end', () => namespaceStory(world()));
});
