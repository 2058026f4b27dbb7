import { afterAll, beforeAll, describe, it } from 'vitest';
import {
  missingConfiguration,
  questionableReferences,
  templateByReference,
  twoOfOneKind,
} from '../integration/addon/configuration-stories.js';
import { orphanedAndAdopted } from '../integration/addon/orphan-scenario.js';
import {
  dependencyOnUnreachableCluster,
  kindsOfAnotherManager,
  tokenOfAnotherManager,
  versionsOfAnotherManager,
} from '../integration/addon/other-manager-stories.js';
import { plannedRights } from '../integration/addon/planned-rights.js';
import { RIGHTS_CASES } from '../integration/addon/planned-rights-cases.js';
import { conditionOfEndedRegistration, missingManagerNamespace, repeatedObject } from '../integration/addon/small-stories.js';
import { failureOfEarlierVersion } from '../integration/addon/stale-report-scenario.js';
import { clearedInvalidVersion, removedWhileWanted, vanishedDefault } from '../integration/addon/version-stories.js';
import { type KubeHub, startKubeHub } from './hub.js';

/** The clusters for which the scenario writes reports instead of the stand-in agent. */
const SILENT: ReadonlySet<string> = new Set(['silent1']);

describe('add-ons, on a real API server', () => {
  let world: KubeHub;
  beforeAll(async () => {
    world = await startKubeHub({ namespace: 'nowhere', agent: { isUp: ({ metadata }) => !SILENT.has(metadata.namespace ?? '') } });
  });
  afterAll(() => world.stop());

  // This test runs first, because the later scenarios need the namespace that it creates.
  it('a missing namespace of the manager is named as the cause; the hub continues when it is created', () =>
    missingManagerNamespace(world, 'nowhere'));

  it('an object that a template contains twice fails with both positions', () => repeatedObject(world));

  it('a condition about a credential ends with its registration', () => conditionOfEndedRegistration(world));

  it('a deletion that orphans keeps the add-ons; a new declaration adopts them and rewrites no work', () => orphanedAndAdopted(world));

  it('a failure of an earlier version does not count against the next one', () => failureOfEarlierVersion(world));

  it('a missing configuration fails a fresh install and its rollout, which continue when it is created', () => missingConfiguration(world));

  it('two configurations of one kind: the first counts on every cluster alike, all are listed', () => twoOfOneKind(world));

  it('an unsupported kind and a namespace left out are accepted, shown and named in conditions', () => questionableReferences(world));

  it('a template is used because it is referenced, whatever its addonName', () => templateByReference(world));

  it('a default version that vanishes moves no cluster to a lower one', () => vanishedDefault(world));

  it('a version that is removed while installed and wanted stays', () => removedWhileWanted(world));

  it('an invalid version of an add-on without versions leaves nothing behind when it is cleared', () => clearedInvalidVersion(world));

  it('an add-on of another manager gets its account for the token driver, and loses it with the driver', () =>
    tokenOfAnotherManager(world));

  it('a config kind that another manager publishes in the status counts as supported', () => kindsOfAnotherManager(world));

  it('a version that another manager does not offer is reported, and only in the conditions of the hub', () =>
    versionsOfAnotherManager(world));

  it('the rights in a plan are those that SubjectAccessReviews find changed by the upgrade', () => plannedRights(world, RIGHTS_CASES));

  it('a dependency that is deleted on an unreachable cluster is reported', () => dependencyOnUnreachableCluster(world));
});
