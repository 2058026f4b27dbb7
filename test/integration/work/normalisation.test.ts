import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../harness/index.js';
import { describeNormalisation } from './normalisation.js';
import { startServerWorld } from './server-world.js';

describe('manifests that the embedded server normalises', () => {
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
  describeNormalisation(() => world);
});
