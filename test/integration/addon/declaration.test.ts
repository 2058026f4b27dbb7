import { afterEach, describe, it } from 'vitest';
import { missingConfiguration, questionableReferences, templateByReference, twoOfOneKind } from './configuration-stories.js';
import { orphanedAndAdopted } from './orphan-scenario.js';
import {
  dependencyOnUnreachableCluster,
  kindsOfAnotherManager,
  tokenOfAnotherManager,
  versionsOfAnotherManager,
} from './other-manager-stories.js';
import { conditionOfEndedRegistration, missingManagerNamespace, repeatedObject } from './small-stories.js';
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
  it('one that is missing fails a fresh install and its rollout, which continue when it is created', async () => {
    await missingConfiguration(await startWorld());
  });

  it('two of one kind: the first counts on every cluster alike, all are listed', async () => {
    await twoOfOneKind(await startWorld());
  });

  it('an unsupported kind and a namespace left out are accepted, shown and named in conditions', async () => {
    await questionableReferences(await startWorld({ hasAdmission: true }));
  });

  it('a template is used because it is referenced, whatever its addonName', async () => {
    await templateByReference(await startWorld({ hasAdmission: true }));
  });
});

describe('versions, on the embedded hub', () => {
  it('a default that vanishes moves no cluster to a lower version', async () => {
    await vanishedDefault(await startWorld());
  });

  it('one that is removed while installed and wanted stays', async () => {
    await removedWhileWanted(await startWorld());
  });

  it('an invalid one of an add-on without versions leaves nothing behind when it is cleared', async () => {
    await clearedInvalidVersion(await startWorld());
  });
});

describe('the manager’s own namespace', () => {
  it('is named as the cause while it does not exist; the hub continues when it is created', async () => {
    await missingManagerNamespace(await startWorld({ namespace: 'nowhere' }), 'nowhere');
  });
});

describe('templates and credentials, on the embedded hub', () => {
  it('an object that a template contains twice fails with both positions', async () => {
    await repeatedObject(await startWorld());
  });

  it('a condition about a credential ends with its registration', async () => {
    await conditionOfEndedRegistration(await startWorld());
  });
});

describe('unknown entries, on the embedded hub', () => {
  it('an add-on of another manager gets its account for the token driver, and loses it with the driver', async () => {
    await tokenOfAnotherManager(await startWorld());
  });

  it('a config kind that another manager publishes in the status counts as supported', async () => {
    await kindsOfAnotherManager(await startWorld());
  });

  it('a version that another manager does not offer is reported, and only in the conditions of the hub', async () => {
    await versionsOfAnotherManager(await startWorld());
  });

  it('a dependency that is deleted on an unreachable cluster is reported; availability is not judged', async () => {
    await dependencyOnUnreachableCluster(await startWorld());
  });
});
