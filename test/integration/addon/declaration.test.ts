import { afterEach, describe, it } from 'vitest';
import { orphanedAndAdopted } from './orphan-scenario.js';
import { failureOfEarlierVersion } from './stale-report-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('a declaration and its add-ons, on the embedded hub', () => {
  it('a deletion that orphans keeps the add-ons; a new declaration adopts them and rewrites no work', async () => {
    await orphanedAndAdopted(await startWorld());
  });
});

describe('reports on works, on the embedded hub', () => {
  it('a failure of an earlier version does not count against the next one', async () => {
    await failureOfEarlierVersion(await startWorld({ agent: undefined }));
  });
});
