import {
  type AddOnRollout,
  type AddOnTemplate,
  type ManifestWork,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  manifestWorks,
} from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** In this scenario, a manager with a newer renderer takes over a settled fleet. */

const ADD_ON = 'keeper';
const CLUSTERS = ['keep1', 'keep2', 'keep3'];

/** Returns a template with a Deployment, a Deployment scaled to zero, and a Job, whose pod template is immutable. */
function template(image: string): AddOnTemplate {
  const { spec, ...rest } = templateOf(ADD_ON, { image });
  const podSpec = { restartPolicy: 'Never', containers: [{ name: 'job', image: 'example.com/job:1' }] };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', namespace: ADD_ON },
    spec: { template: { spec: podSpec } },
  };
  const [deployment] = spec.agentSpec.workload?.manifests ?? [];
  const idle = JSON.parse(JSON.stringify(deployment)) as JsonObject;
  const manifests = [
    deployment,
    { ...idle, metadata: { name: 'idle', namespace: ADD_ON }, spec: { ...(idle['spec'] as JsonObject), replicas: 0 } },
    job,
  ];
  return { ...rest, spec: { ...spec, agentSpec: { workload: { manifests } } } } as unknown as AddOnTemplate;
}

async function works({ hub }: AddOnWorld): Promise<readonly ManifestWork[]> {
  return Promise.all(CLUSTERS.map((namespace) => hub.get(manifestWorks, { namespace, name: `addon-${ADD_ON}-deploy-0` })));
}

async function specs(world: AddOnWorld): Promise<readonly ManifestWork['spec'][]> {
  return (await works(world)).map(({ spec }) => spec);
}

async function allSucceed(world: AddOnWorld): Promise<void> {
  for (const cluster of CLUSTERS) await eventuallyIs(world, cluster, ADD_ON, 'Progressing', 'False Succeed');
  await world.quiet();
}

function rollout({ hub }: AddOnWorld): Promise<AddOnRollout> {
  return hub.get(addOnRollouts, { name: ADD_ON });
}

async function setRollout({ hub }: AddOnWorld, spec: JsonObject): Promise<void> {
  await hub.patch(addOnRollouts, { name: ADD_ON }, { type: 'merge', patch: { spec } });
}

async function imageIs(world: AddOnWorld, image: string): Promise<void> {
  await world.eventually(`every cluster has ${image}`, async () => {
    for (const spec of await specs(world)) expect(JSON.stringify(spec)).toContain(`"image":"${image}"`);
    return true;
  });
  await allSucceed(world);
}

/** Replaces the manager and waits until the new one has run a pass for each add-on. Returns the writes of the new manager. */
async function writesOfNewManager(world: AddOnWorld, renderer: number): Promise<readonly string[]> {
  await world.quiet();
  world.writes.length = 0;
  world.passes.length = 0;
  await world.restartManager(renderer);
  await world.eventually('the new manager has looked at every add-on', async () =>
    CLUSTERS.every((cluster) => world.passes.includes(`addon ${cluster}/${ADD_ON}`)) ? true : undefined,
  );
  await world.quiet();
  return [...world.writes];
}

/**
 * Returns `[env of the container, default mode of its volumes, kinds with feedback rules]` of the Deployment, which differ between the
 * renderers.
 */
function fingerprint(spec: ManifestWork['spec']): readonly unknown[] {
  const [deployment] = (spec.workload?.manifests ?? []) as unknown as readonly { spec: { template: { spec: JsonObject } } }[];
  const [container] = (deployment?.spec.template.spec['containers'] ?? []) as readonly { env?: readonly { name: string }[] }[];
  return [container?.env?.map(({ name }) => name), spec.manifestConfigs?.map(({ resourceIdentifier }) => resourceIdentifier.name)];
}

const BY_FIRST = [
  ['HUB_KUBECONFIG', 'CLUSTER_NAME', 'INSTALL_NAMESPACE'],
  [`${ADD_ON}-agent`, 'migrate'],
];
const BY_SECOND = [['CLUSTER_NAME'], [`${ADD_ON}-agent`, 'idle', 'migrate']];

function jobOf(spec: ManifestWork['spec']): unknown {
  return (spec.workload?.manifests ?? []).find(({ kind }) => kind === 'Job');
}

export async function newerRendererMovesNoCluster(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await world.restartManager(1);
  for (const cluster of CLUSTERS) await addCluster(world, cluster, { keep: 'yes' });
  await hub.create(addOnTemplates, template('agent:1'));
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: {
      supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: ADD_ON } }],
      installStrategy: {
        type: 'ClusterLabelSelector',
        labelSelector: { matchLabels: { keep: 'yes' } },
        rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
      },
    },
  });
  await allSucceed(world);
  const first = await specs(world);
  expect(first.map(fingerprint)).toEqual(CLUSTERS.map(() => BY_FIRST));

  expect(await writesOfNewManager(world, 2), 'written because of the renderer').toEqual([]);
  expect(await specs(world)).toEqual(first);

  // The manager restores a deleted work exactly.
  await hub.delete(manifestWorks, { namespace: CLUSTERS[0] ?? '', name: `addon-${ADD_ON}-deploy-0` });
  await world.eventually('the lost work is back', async () => {
    expect(await specs(world)).toEqual(first);
    return true;
  });
  await allSucceed(world);

  // When the rollout admits a cluster to new content, the new renderer renders the works of the cluster.
  await setRollout(world, { paused: true });
  await hub.patch(addOnTemplates, { name: ADD_ON }, { type: 'merge', patch: { spec: template('agent:2').spec as never } });
  for (const cluster of CLUSTERS) await eventuallyIs(world, cluster, ADD_ON, 'Configured', 'False ConfigurationsNotConfigured');
  await world.quiet();
  expect(await specs(world), 'while the rollout is paused').toEqual(first);
  await setRollout(world, { paused: false });
  await imageIs(world, 'agent:2');
  const second = await specs(world);
  expect(second.map(fingerprint)).toEqual(CLUSTERS.map(() => BY_SECOND));
  expect(second.map(jobOf), 'a Job that stands keeps its pod template').toEqual(first.map(jobOf));
  expect((await rollout(world)).status?.history?.map(({ revision, renderer }) => [revision, renderer])).toEqual([
    [2, 2],
    [1, 1],
  ]);

  // A rollback restores the bytes of the earlier revision, whether by `pinnedRevision` or by an edit.
  await setRollout(world, { pinnedRevision: 1 });
  await imageIs(world, 'agent:1');
  expect(await specs(world), 'pinned to revision 1').toEqual(first);
  await setRollout(world, { pinnedRevision: null });
  await imageIs(world, 'agent:2');
  expect(await specs(world), 'unpinned').toEqual(second);
  await hub.patch(addOnTemplates, { name: ADD_ON }, { type: 'merge', patch: { spec: template('agent:1').spec as never } });
  await imageIs(world, 'agent:1');
  expect(await specs(world), 'edited back').toEqual(first);
}

/** Works that another manager created from the same content keep their spec, whatever renderer this manager has. */
export async function takenOverWorksKeepTheirSpec(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  for (const cluster of CLUSTERS) {
    const annotations = Object.fromEntries(
      ['render-inputs', 'install-namespace', 'written'].map((name) => [`outrigger.dev/${name}`, null]),
    );
    const theirs = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: ADD_ON } }];
    await world.restartManager();
    const patch = { metadata: { annotations }, spec: { workload: { manifests: theirs } } };
    await hub.patch(manifestWorks, { namespace: cluster, name: `addon-${ADD_ON}-deploy-0` }, { type: 'merge', patch });
  }
  await world.quiet();
  const taken = await specs(world);
  expect(taken.map(({ workload }) => workload?.manifests?.map(({ kind }) => kind))).toEqual(CLUSTERS.map(() => ['ConfigMap']));
  for (const renderer of [1, 2]) expect(await writesOfNewManager(world, renderer)).toEqual([]);
  expect(await specs(world)).toEqual(taken);
  await hub.patch(addOnTemplates, { name: ADD_ON }, { type: 'merge', patch: { spec: template('agent:3').spec as never } });
  await imageIs(world, 'agent:3');
  expect((await specs(world)).map(fingerprint)).toEqual(CLUSTERS.map(() => BY_SECOND));
}
