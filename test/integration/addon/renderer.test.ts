import { afterEach, describe, it } from 'vitest';
import { newerRendererMovesNoCluster, takenOverWorksKeepTheirSpec } from './renderer-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('an upgrade of the manager', () => {
  it('moves no cluster: a newer renderer comes with other content, through the rollout, and goes back with it; nor does a takeover', async () => {
    const world = await startWorld();
    await newerRendererMovesNoCluster(world);
    await takenOverWorksKeepTheirSpec(world);
  });
});
