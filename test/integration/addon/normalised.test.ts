import { afterEach, describe, it } from 'vitest';
import { normalisedManifestsSettle } from './normalised-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('manifests that the hub’s API server stores in another form', () => {
  it('settle, and nothing is written after that', async () => {
    await normalisedManifestsSettle(await startWorld(), { count: 60, seed: 20_261_115 });
  });
});
