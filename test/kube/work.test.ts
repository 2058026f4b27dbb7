import { afterAll, beforeAll, describe } from 'vitest';
import { type RealKube, startKube } from '../harness/index.js';
import { describeExecutor, describePolicyOfExecutor } from '../integration/work/executor.js';
import { describeNormalisation } from '../integration/work/normalisation.js';
import { describeOwnership } from '../integration/work/ownership.js';
import { describeReporting } from '../integration/work/reporting.js';
import { describeRollback } from '../integration/work/rollback.js';
import { startServerWorld } from '../integration/work/server-world.js';
import { describeStrategies } from '../integration/work/strategies.js';

describe('works on a real API server', () => {
  let kube: RealKube;
  let world: Awaited<ReturnType<typeof startServerWorld>>;
  beforeAll(async () => {
    kube = await startKube({ controllerManager: 'after kinds' });
    world = await startServerWorld(kube);
  });
  afterAll(async () => {
    await world.stop();
    await kube.stop();
  });
  describeStrategies(() => world);
  describeOwnership(() => world);
  describeReporting(() => world);
  describeExecutor(() => world);
  describePolicyOfExecutor(() => world);
  describeRollback(() => world);
  describeNormalisation(() => world);
});
