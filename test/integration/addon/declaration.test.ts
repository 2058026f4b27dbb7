import { afterEach, describe, it } from 'vitest';
import { missingConfiguration, questionableReferences, templateByReference, twoOfOneKind } from './configuration-stories.js';
import { orphanedAndAdopted } from './orphan-scenario.js';
import { failureOfEarlierVersion } from './stale-report-scenario.js';
import { clearedInvalidVersion, removedWhileWanted, vanishedDefault } from './version-stories.js';
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

describe('references to configurations, on the embedded hub', () => {
  it('one that is missing fails a fresh install and its rollout, which go on when it is created', async () => {
    await missingConfiguration(await startWorld());
  });

  it('two of one kind: the first counts on every cluster alike, all are listed', async () => {
    await twoOfOneKind(await startWorld());
  });

  it('an unsupported kind and a namespace left out are accepted, shown and named in conditions', async () => {
    await questionableReferences(await startWorld({ hasDoor: true }));
  });

  it('a template is used because it is referenced, whatever its addonName', async () => {
    await templateByReference(await startWorld({ hasDoor: true }));
  });
});

describe('versions, on the embedded hub', () => {
  it('a default that vanishes moves nobody to a lower version', async () => {
    await vanishedDefault(await startWorld());
  });

  it('one that is removed while installed and wanted stays', async () => {
    await removedWhileWanted(await startWorld());
  });

  it('an invalid one of an add-on without versions leaves nothing behind when it is cleared', async () => {
    await clearedInvalidVersion(await startWorld());
  });
});
