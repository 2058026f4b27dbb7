import {
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetSpec,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  TEMPLATE_WRITTEN_ANNOTATION,
  manifestWorkReplicaSets,
  manifestWorks,
  namespaces,
} from '@outrigger/api';
import { findCondition, toTime } from '@outrigger/core';
import { NAMESPACE, changePlacement, chosen, clusterName, declareFleet, declarePlacement } from '../placement/scenario.js';
import { type HubWorld, absentAsUndefined } from '../placement/world.js';

const KEY = { namespace: NAMESPACE, name: 'web' };
const CLUSTERS = 3;
const SOAKING = { type: 'Progressive', progressive: { maxConcurrency: 1, minSuccessTime: '1s' } } as const;

function template(value: string): NonNullable<ManifestWorkReplicaSetSpec['manifestWorkTemplate']> {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default' }, data: { value } };
  return { workload: { manifests: [manifest] } };
}

/** Creates a ManifestWorkReplicaSet that moves one cluster at a time. */
export async function declareReplicaSet({ hub }: HubWorld, spec: Partial<ManifestWorkReplicaSetSpec> = {}): Promise<void> {
  const object: ManifestWorkReplicaSet = {
    apiVersion: 'work.open-cluster-management.io/v1alpha1',
    kind: 'ManifestWorkReplicaSet',
    metadata: { ...KEY, labels: { team: 'red' } },
    spec: {
      manifestWorkTemplate: template('one'),
      placementRefs: [{ name: 'p', rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } } }],
      ...spec,
    },
  };
  await hub.create(manifestWorkReplicaSets, object);
}

/** Creates clusters with their namespaces, and a Placement that selects all of them. */
export async function declareClusters(world: HubWorld): Promise<void> {
  await declareFleet(world, CLUSTERS);
  for (let index = 0; index < CLUSTERS; index++) {
    await world.hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: clusterName(index) } });
  }
  await declarePlacement(world);
  await chosen(world, CLUSTERS);
}

export async function worksOf({ hub }: HubWorld): Promise<readonly ManifestWork[]> {
  const { items } = await hub.list(manifestWorks, { labelSelector: `${REPLICA_SET_LABEL}=${NAMESPACE}.web` });
  return [...items].sort((a, b) => ((a.metadata.namespace ?? '') < (b.metadata.namespace ?? '') ? -1 : 1));
}

/** Returns the clusters that have a work, each with the value in its ConfigMap, as `c000=one`. */
async function valuesOf(world: HubWorld): Promise<string> {
  const works = await worksOf(world);
  return works
    .map(({ metadata, spec }) => {
      const [manifest] = spec.workload?.manifests ?? [];
      return `${metadata.namespace}=${(manifest as { data?: { value: string } } | undefined)?.data?.value}`;
    })
    .join(' ');
}

export function hasValues(world: HubWorld, wanted: string): Promise<string> {
  return world.eventually(`works ${wanted}`, async () => ((await valuesOf(world)) === wanted ? wanted : undefined));
}

/** Reports the work of a cluster as applied and available, as its agent does. */
export async function report(world: HubWorld, cluster: string, now: number): Promise<void> {
  const work = (await worksOf(world)).find(({ metadata }) => metadata.namespace === cluster);
  if (!work) throw new Error(`${cluster} has no work`);
  const { generation = 0, name = '' } = work.metadata;
  const condition = { status: 'True', reason: 'Test', message: '', lastTransitionTime: toTime(now), observedGeneration: generation };
  const conditions = ['Applied', 'Available'].map((type) => ({ ...condition, type }));
  const patch = { type: 'merge', patch: { status: { conditions } } } as const;
  await world.hub.patch(manifestWorks, { namespace: cluster, name }, patch, { subresource: 'status' });
}

/** The soak of the second rollout. */
export const SOAK_MS = 1_000;

/** Reports the work with times in the past, in its conditions and in its annotation. An agent may write both. */
async function reportWithForgedTimes(world: HubWorld, cluster: string): Promise<void> {
  const work = (await worksOf(world)).find(({ metadata }) => metadata.namespace === cluster);
  const annotations = { [TEMPLATE_WRITTEN_ANNOTATION]: toTime(0) };
  const key = { namespace: cluster, name: work?.metadata.name ?? '' };
  await world.hub.patch(manifestWorks, key, { type: 'merge', patch: { metadata: { annotations } } });
  await report(world, cluster, 0);
}

export function hasCondition(world: HubWorld, type: string, reason: string): Promise<ManifestWorkReplicaSet> {
  return world.eventually(`${type} ${reason}`, async () => {
    const set = await world.hub.get(manifestWorkReplicaSets, KEY);
    const condition = findCondition(set.status?.conditions, type);
    return condition?.reason === reason && condition.observedGeneration === set.metadata.generation ? set : undefined;
  });
}

export interface ReplicaSetStory {
  /** The works at each step of the first and the second rollout. */
  readonly steps: readonly string[];
  /** The milliseconds from the report of a cluster to the move of the next one, in the second rollout. */
  readonly soaks: readonly number[];
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly completed: ManifestWorkReplicaSet['status'];
  readonly afterShrinking: string;
  readonly worksLeft: number;
}

/** Runs the lifecycle of a ManifestWorkReplicaSet: rollout, change, a smaller Placement, deletion. */
export async function replicaSetStory(world: HubWorld, now: () => number): Promise<ReplicaSetStory> {
  await declareClusters(world);
  await declareReplicaSet(world);
  const steps: string[] = [];
  const all = Array.from({ length: CLUSTERS }, (_, index) => clusterName(index));
  for (const [index, cluster] of all.entries()) {
    const wanted = all.slice(0, index + 1).map((name) => `${name}=one`);
    steps.push(await hasValues(world, wanted.join(' ')));
    await report(world, cluster, now());
  }
  await hasCondition(world, 'PlacementRolledOut', 'Complete');
  const { status: completed } = await hasCondition(world, 'ManifestworkApplied', 'AsExpected');
  const works = await worksOf(world);

  await world.hub.patch(manifestWorkReplicaSets, KEY, {
    type: 'merge',
    patch: { spec: { manifestWorkTemplate: template('two') as never, placementRefs: [{ name: 'p', rolloutStrategy: SOAKING }] as never } },
  });
  const soaks: number[] = [];
  let reportedAt: number | undefined;
  for (const [index, cluster] of all.entries()) {
    steps.push(await hasValues(world, all.map((name, i) => `${name}=${i <= index ? 'two' : 'one'}`).join(' ')));
    if (reportedAt !== undefined) soaks.push(now() - reportedAt);
    reportedAt = now();
    await reportWithForgedTimes(world, cluster);
  }
  await hasCondition(world, 'PlacementRolledOut', 'Complete');

  await changePlacement(world, { numberOfClusters: 2 });
  const afterShrinking = await world.eventually('two works', async () => {
    const left = await worksOf(world);
    return left.length === 2 ? left.map(({ metadata }) => metadata.namespace).join(' ') : undefined;
  });
  await hasCondition(world, 'ManifestworkApplied', 'AsExpected');

  await world.hub.delete(manifestWorkReplicaSets, KEY);
  await world.eventually('the set to be gone', async () => {
    return (await absentAsUndefined(world.hub.get(manifestWorkReplicaSets, KEY))) === undefined ? true : undefined;
  });
  return {
    steps,
    soaks,
    names: [...new Set(works.map(({ metadata }) => metadata.name ?? ''))],
    labels: works[0]?.metadata.labels,
    completed,
    afterShrinking,
    worksLeft: (await worksOf(world)).length,
  };
}

export const LABELS: Readonly<Record<string, string>> = {
  team: 'red',
  [REPLICA_SET_LABEL]: `${NAMESPACE}.web`,
  [REPLICA_SET_PLACEMENT_LABEL]: 'p',
};
