import { addOnTemplates, clusterManagementAddOns, managedClusterAddOns, namespaces } from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { missingConfiguration, questionableReferences, templateByReference, twoOfOneKind } from './configuration-stories.js';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import { orphanedAndAdopted } from './orphan-scenario.js';
import { dependencyOnUnreachableCluster, tokenOfAnotherManager } from './other-manager-stories.js';
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
  it('is named as the cause while it does not exist; everything goes on when it does', async () => {
    const world = await startWorld({ namespace: 'nowhere' });
    const { hub } = world;
    await addCluster(world, 'homeless1');
    await hub.create(addOnTemplates, templateOf('homeless', { version: 'v1' }));
    await hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'homeless' },
      spec: {},
    });
    await install(world, 'homeless1', 'homeless');
    const resolved = await world.eventually('TargetsResolved names the namespace', async () => {
      const { status } = await hub.get(clusterManagementAddOns, { name: 'homeless' });
      const found = status?.conditions?.find(({ type }) => type === 'TargetsResolved');
      return found?.reason === 'ContentNotStored' ? found : undefined;
    });
    expect(resolved.message).toContain('create it: kubectl create namespace nowhere');
    const { status } = await hub.get(managedClusterAddOns, { namespace: 'homeless1', name: 'homeless' });
    expect(JSON.stringify(status ?? {})).not.toContain('does not exist');
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nowhere' } });
    await eventuallyIs(world, 'homeless1', 'homeless', 'Progressing', 'False Succeed');
    await world.eventually('TargetsResolved is True again', async () => {
      const found = await hub.get(clusterManagementAddOns, { name: 'homeless' });
      return found.status?.conditions?.some(({ type, reason }) => type === 'TargetsResolved' && reason === 'AllResolved')
        ? true
        : undefined;
    });
  });
});

describe('what the hub knows only in part, on the embedded hub', () => {
  it('an add-on of another manager gets its account for the token driver, and loses it with the driver', async () => {
    await tokenOfAnotherManager(await startWorld());
  });

  it('a dependency that is deleted on an unreachable cluster is reported; availability is not judged', async () => {
    await dependencyOnUnreachableCluster(await startWorld());
  });
});
