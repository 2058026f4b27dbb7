import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../harness/index.js';
import { describeJoining } from './join.js';
import { type ServerWorld, startServerWorld } from './server-world.js';

describe('joining on the embedded server', () => {
  let world: ServerWorld;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const server = await startEmbedded();
    world = await startServerWorld(server);
    stop = async () => {
      await world.stop();
      await server.stop();
    };
  });
  afterAll(() => stop());
  describeJoining(() => world);
});
