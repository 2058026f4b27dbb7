import { managedClusters } from '@outrigger/api';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checksWhoDecides } from '../cli/deciders.js';
import { keepsTheManagersAnnotations } from '../cli/owner-annotations.js';
import { keepsOwners } from '../cli/owner-references.js';
import { rolesLeadToNoMore } from '../integration/install/roles-for-people.js';
import { givesRights, ownerTypesTheGuide } from '../cli/people.js';
import { readsWithinRights, refusalsNameTheRoles } from '../cli/refusals.js';
import { viewerReadsStoredRevisions } from '../cli/stored-revisions.js';
import { type HandsWorld, configSetKnowsItsConfig, configShowsItsLayers, diffAndRestart, getShowsEveryKind } from '../cli/hands-stories.js';
import { runCommand } from '../cli/world.js';
import type { KubeHub } from './hub.js';
import { type PeopleHub, startPeopleHub } from './people-hub.js';

describe('roles for people on a real kube-apiserver', () => {
  let world: KubeHub;
  let people: PeopleHub;
  beforeAll(async () => {
    people = await startPeopleHub();
    ({ world } = people);
  });
  afterAll(() => world.stop());

  it('each role gives the rights of its table and no more', () => givesRights(people));
  it('AT-56 no role includes a right that leads to more than the guide says', () => rolesLeadToNoMore(people));
  it('a refusal names the roles that include the right', () => refusalsNameTheRoles(people));
  it('each role reads the objects it may read, and every refusal is explained', () => readsWithinRights(people));
  it('the API server checks the writers of decisions about gates', () => checksWhoDecides(people));
  it('AT-17 the owner of a cluster cannot write the annotations that the manager acts on', () => keepsTheManagersAnnotations(people));
  it('AT-56 a user who may not delete an object cannot have it deleted by a change of its owners', () => keepsOwners(people));
  it('the owner of a cluster types the guide with that role alone', () => ownerTypesTheGuide(people));

  describe('habits of kubectl users', () => {
    const hands = (): HandsWorld => ({
      hub: world.hub,
      outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
      eventually: (what, look) => world.eventually(what, look),
    });
    beforeAll(async () => {
      // In an earlier test, the cluster owner removed the add-on `metrics`. Without the annotation of that test, the installer creates the
      // add-on again.
      await world.hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations: null } } });
      await people.eventually('the samples are available', async () =>
        (await hands().outrigger('why', 'metrics')).out.includes('1 available') ? true : undefined,
      );
    });
    it('get lists every kind, narrowed and ordered', () => getShowsEveryKind(hands()));
    it('diff for programs, restart, logs', () => diffAndRestart(hands()));
    it('config set and get, with layers', () => configShowsItsLayers(hands()));
    it('config set knows the config that it creates or changes', () =>
      configSetKnowsItsConfig({ ...hands(), sleep: (ms) => world.runtime.timers.sleep(ms) }));
  });

  // This test runs last, because hello is at v2 afterwards.
  it('a viewer reads stored revisions and records of targets', () => viewerReadsStoredRevisions(people));
});
