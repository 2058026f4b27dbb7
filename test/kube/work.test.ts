import { afterAll, beforeAll, describe } from 'vitest';
import { describeExecutor } from '../integration/work/executor.js';
import { describeOwnership } from '../integration/work/ownership.js';
import { describeReporting } from '../integration/work/reporting.js';
import { startServerWorld } from '../integration/work/server-world.js';
import { describeStrategies } from '../integration/work/strategies.js';
import { sharedKube } from './connect.js';

describe('works on a real API server', () => {
  let world: Awaited<ReturnType<typeof startServerWorld>>;
  beforeAll(async () => {
    const { server } = await sharedKube();
    world = await startServerWorld(server);
  });
  afterAll(() => world.stop());
  describeStrategies(() => world);
  describeOwnership(() => world);
  describeReporting(() => world);
  describeExecutor(() => world);
});
