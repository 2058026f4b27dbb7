import { readFile } from 'node:fs/promises';
import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checksWhoDecides } from './deciders.js';
import { keepsTheManagersAnnotations } from './owner-annotations.js';
import { keepsOwners } from './owner-references.js';
import { rolesLeadToNoMore } from '../integration/install/roles-for-people.js';
import { type PeopleWorld, givesRights, ownerTypesTheGuide } from './people.js';
import { readsWithinRights, refusalsNameTheRoles } from './refusals.js';
import { viewerReadsStoredRevisions } from './stored-revisions.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('roles for people on the embedded server', () => {
  let world: CliWorld;
  let people: PeopleWorld;
  beforeAll(async () => {
    world = await startCliWorld(2);
    await installSamples(world.fleet.hub);
    const { runtime, fleet, eventually, kubeconfig } = world;
    people = { runtime, hub: fleet.hub, adminKubeconfig: await readFile(kubeconfig, 'utf8'), eventually };
    await eventually('metrics is available', async () =>
      (await world.outrigger('why', 'metrics', '--cluster', 'cluster1')).out.includes(': available') ? true : undefined,
    );
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
  it('a viewer reads stored revisions and records of targets', () => viewerReadsStoredRevisions(people));
});
