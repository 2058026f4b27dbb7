import { afterEach, describe, it } from 'vitest';
import { rendersGoldenFiles } from './golden-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('the golden files of the renderer, on the embedded hub', () => {
  it('a work holds the expected manifests of every golden file, or the add-on reports the expected problems', async () => {
    await rendersGoldenFiles(await startWorld());
  });
});
