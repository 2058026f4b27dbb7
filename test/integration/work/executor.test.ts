import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../harness/index.js';
import { describeExecutor } from './executor.js';
import { startServerWorld } from './server-world.js';

describe('executors on the embedded server', () => {
  let world: Awaited<ReturnType<typeof startServerWorld>>;
  let stopServer: () => Promise<void>;
  beforeAll(async () => {
    const server = await startEmbedded();
    stopServer = () => server.stop();
    world = await startServerWorld(server);
  });
  afterAll(async () => {
    await world.stop();
    await stopServer();
  });
  describeExecutor(() => world);
});
