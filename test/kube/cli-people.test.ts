import { readFile } from 'node:fs/promises';
import { managedClusters } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { type KubeObject, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { checksWhoDecides } from '../cli/deciders.js';
import { type PeopleWorld, givesRights, ownerTypesTheGuide } from '../cli/people.js';
import { readsWithinRights, refusalsNameTheRoles } from '../cli/refusals.js';
import { type HandsWorld, configShowsItsLayers, diffAndRestart, getShowsEveryKind } from '../cli/hands-stories.js';
import { runCommand } from '../cli/world.js';
import { type KubeHub, startKubeHub } from './hub.js';

/** The roles, their namespaces, and the policies of admission that check who decides about gates. */
function isAboutPeople({ kind, metadata: { name = '' } }: KubeObject): boolean {
  return (
    kind === 'ClusterRole' ||
    kind === 'Namespace' ||
    (kind.startsWith('ValidatingAdmissionPolicy') && name.startsWith('outrigger-rollout-'))
  );
}

describe('roles for people on a real kube-apiserver', () => {
  let world: KubeHub;
  let people: PeopleWorld;
  beforeAll(async () => {
    world = await startKubeHub();
    const { hub, runtime, kube } = world;
    const printed = parseYaml((await runCommand(['install', 'hub', '--image', 'x'], runtime)).out) as KubeObject[];
    for (const object of printed.filter(isAboutPeople)) {
      const kind = await hub.discovery.kindOf({ ...parseApiVersion(object.apiVersion), kind: object.kind });
      if (kind) await hub.apply(kind, object, { fieldManager: 'test', force: true });
    }
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'cluster1' },
      spec: { hubAcceptsClient: true },
    });
    await installSamples(hub);
    const adminKubeconfig = await readFile(kube.kubeconfigPath, 'utf8');
    const eventually = (what: string, look: () => Promise<true | undefined>): Promise<unknown> => world.eventually(what, look);
    people = { runtime, hub, adminKubeconfig, eventually };
    await eventually('metrics is available', async () => {
      const ran = await runCommand(['why', 'metrics', '--cluster', 'cluster1'], runtime, { KUBECONFIG: kube.kubeconfigPath });
      return ran.out.includes(': available') ? true : undefined;
    });
  }, 180_000);
  afterAll(() => world.stop());

  it('each role gives the rights of its table and no more', () => givesRights(people));
  it('a refusal names the roles that include the right', { timeout: 60_000 }, () => refusalsNameTheRoles(people));
  it('each role reads what it may, and every refusal is explained', { timeout: 120_000 }, () => readsWithinRights(people));
  it('the API server checks who decides about gates', { timeout: 60_000 }, () => checksWhoDecides(people));
  it('the owner of a cluster types the guide with that role alone', { timeout: 60_000 }, () => ownerTypesTheGuide(people));

  describe('what hands expect', () => {
    const hands = (): HandsWorld => ({
      hub: world.hub,
      outrigger: (...args) => runCommand(args, world.runtime, { KUBECONFIG: world.kube.kubeconfigPath }),
      eventually: (what, look) => world.eventually(what, look),
    });
    beforeAll(async () => {
      // The cluster owner has removed the add-on metrics.
      await world.hub.patch(managedClusters, { name: 'cluster1' }, { type: 'merge', patch: { metadata: { annotations: null } } });
      await people.eventually('the samples are available', async () =>
        (await hands().outrigger('why', 'metrics')).out.includes('1 available') ? true : undefined,
      );
    });
    it('get lists every kind, narrowed and ordered', () => getShowsEveryKind(hands()));
    it('diff for programs, restart, logs', () => diffAndRestart(hands()));
    it('config set and get, with layers', () => configShowsItsLayers(hands()));
  });
});
