import {
  type ManagedCluster,
  type Placement,
  type PlacementDecision,
  type PlacementSpec,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  namespaces,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type HubWorld, absentAsUndefined } from './world.js';

export const NAMESPACE = 'apps';
const SET_LABEL = 'cluster.open-cluster-management.io/clusterset';
const CLUSTER_API = 'cluster.open-cluster-management.io';

export function managedCluster(name: string, labels: Readonly<Record<string, string>> = {}): ManagedCluster {
  return {
    apiVersion: `${CLUSTER_API}/v1`,
    kind: 'ManagedCluster',
    metadata: { name, labels: { [SET_LABEL]: 'blue', ...labels } },
    spec: {},
  };
}

/** Returns the name of a cluster: `c000` … */
export const clusterName = (index: number): string => `c${String(index).padStart(3, '0')}`;

/** Creates a namespace with a bound cluster set, and `count` clusters in the set. */
export async function declareFleet({ hub }: HubWorld, count: number): Promise<void> {
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await hub.create(managedClusterSets, {
    apiVersion: `${CLUSTER_API}/v1beta2`,
    kind: 'ManagedClusterSet',
    metadata: { name: 'blue' },
    spec: {},
  });
  await hub.create(managedClusterSetBindings, {
    apiVersion: `${CLUSTER_API}/v1beta2`,
    kind: 'ManagedClusterSetBinding',
    metadata: { name: 'blue', namespace: NAMESPACE },
    spec: { clusterSet: 'blue' },
  });
  for (let index = 0; index < count; index++) await hub.create(managedClusters, managedCluster(clusterName(index)));
}

/** A spec that tolerates every taint, so that clusters without an agent are selected too. */
const TOLERANT: PlacementSpec = { tolerations: [{ operator: 'Exists' }] };

export async function declarePlacement({ hub }: HubWorld, spec: PlacementSpec = {}): Promise<void> {
  const object: Placement = {
    apiVersion: `${CLUSTER_API}/v1beta1`,
    kind: 'Placement',
    metadata: { name: 'p', namespace: NAMESPACE },
    spec: { ...TOLERANT, ...spec },
  };
  await hub.create(placements, object);
}

export async function changePlacement({ hub }: HubWorld, spec: Readonly<Record<string, unknown>>): Promise<void> {
  await hub.patch(placements, { namespace: NAMESPACE, name: 'p' }, { type: 'merge', patch: { spec: spec as never } });
}

/** The result of a Placement. */
export interface Choice {
  readonly pages: readonly { readonly name: string; readonly group: string; readonly clusters: readonly string[] }[];
  readonly selected: number | undefined;
  readonly conditions: Readonly<Record<string, string>>;
}

export async function choiceOf(hub: Client): Promise<Choice | undefined> {
  const placement = await absentAsUndefined(hub.get(placements, { namespace: NAMESPACE, name: 'p' }));
  if (!placement) return undefined;
  const { items } = await hub.list(placementDecisions, { namespace: NAMESPACE });
  const numberOf = ({ metadata }: PlacementDecision): number => Number(metadata.name?.split('-').at(-1));
  const conditions = (placement.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]);
  return {
    pages: [...items]
      .sort((a, b) => numberOf(a) - numberOf(b))
      .map(({ metadata, status }) => ({
        name: metadata.name ?? '',
        group: metadata.labels?.['cluster.open-cluster-management.io/decision-group-index'] ?? '',
        clusters: (status?.decisions ?? []).map((decision) => decision.clusterName),
      })),
    selected: placement.status?.numberOfSelectedClusters,
    conditions: Object.fromEntries(conditions) as Record<string, string>,
  };
}

/** Waits until the Placement reports this number of clusters and its PlacementDecisions list the same number. */
export function chosen(world: HubWorld, count: number): Promise<Choice> {
  return world.eventually(`${count} chosen clusters`, async () => {
    const choice = await choiceOf(world.hub);
    const shown = choice?.pages.reduce((sum, page) => sum + page.clusters.length, 0);
    return choice?.selected === count && shown === count ? choice : undefined;
  });
}

/** Waits until a condition of the Placement has this reason for the current generation. */
export function conditioned(world: HubWorld, type: string, reason: string): Promise<Choice> {
  return world.eventually(`${type} ${reason}`, async () => {
    const { metadata, status } = await world.hub.get(placements, { namespace: NAMESPACE, name: 'p' });
    const condition = findCondition(status?.conditions, type);
    return condition?.reason === reason && condition.observedGeneration === metadata.generation ? choiceOf(world.hub) : undefined;
  });
}

/**
 * Watches the PlacementDecisions as a client would. `least` is the smallest number of clusters listed at one time since the last `reset`.
 */
export class DecisionReader {
  readonly #pages = new Map<string, readonly string[]>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  least = Number.POSITIVE_INFINITY;

  private constructor(hub: Client, items: readonly PlacementDecision[], resourceVersion: string) {
    for (const page of items) this.#show(page);
    this.#done = this.#follow(hub, resourceVersion);
  }

  static async start(hub: Client): Promise<DecisionReader> {
    const { items, metadata } = await hub.list(placementDecisions, { namespace: NAMESPACE });
    return new DecisionReader(hub, items, metadata.resourceVersion ?? '');
  }

  get clusters(): ReadonlySet<string> {
    return new Set([...this.#pages.values()].flat());
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('read enough'));
    await this.#done;
  }

  #show({ metadata, status }: PlacementDecision): void {
    this.#pages.set(
      metadata.name ?? '',
      (status?.decisions ?? []).map((decision) => decision.clusterName),
    );
  }

  async #follow(hub: Client, resourceVersion: string): Promise<void> {
    const { signal } = this.#stop;
    try {
      for await (const { type, object } of hub.watch(placementDecisions, { namespace: NAMESPACE, resourceVersion, signal })) {
        if (type === 'ADDED' || type === 'MODIFIED') this.#show(object);
        if (type === 'DELETED') this.#pages.delete(object.metadata.name ?? '');
        this.least = Math.min(this.least, this.clusters.size);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/**
 * Runs the whole scenario, which is the same on every server: a Placement lists 205 clusters in pages, adds one cluster, keeps its clusters
 * while the Placement is misconfigured, shrinks to two clusters, restores a deleted page, replaces a cluster that left the set, and is
 * deleted.
 */
export async function placementStory(world: HubWorld): Promise<readonly Choice[]> {
  const { hub } = world;
  await declareFleet(world, 205);
  await declarePlacement(world);
  const all = await chosen(world, 205);

  const reader = await DecisionReader.start(hub);
  await hub.create(managedClusters, managedCluster('a'));
  const moved = await chosen(world, 206);
  await world.eventually('the reader sees all', async () => (reader.clusters.size === 206 ? true : undefined));
  await reader.stop();
  if (reader.least < 205) throw new Error(`a reader once saw only ${reader.least} of 205 clusters`);

  await changePlacement(world, { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.'] } } }] });
  const misread = await conditioned(world, 'PlacementMisconfigured', 'Misconfigured');
  await changePlacement(world, { predicates: null, numberOfClusters: 2 });
  const two = await chosen(world, 2);

  await hub.delete(placementDecisions, { namespace: NAMESPACE, name: 'p-decision-1' });
  const repaired = await world.eventually('the page is back', async () => {
    const choice = await choiceOf(hub);
    return choice?.pages[0]?.clusters.length === 2 ? choice : undefined;
  });

  await hub.patch(managedClusters, { name: 'a' }, { type: 'merge', patch: { metadata: { labels: { [SET_LABEL]: 'red' } } } });
  const replaced = await world.eventually('another is chosen for the one that left the set', async () => {
    const choice = await choiceOf(hub);
    return choice?.pages[0]?.clusters.length === 2 && !choice.pages[0].clusters.includes('a') ? choice : undefined;
  });

  await hub.delete(placements, { namespace: NAMESPACE, name: 'p' });
  await world.eventually('the pages are gone', async () => {
    const { items } = await hub.list(placementDecisions, { namespace: NAMESPACE });
    return items.length === 0 ? true : undefined;
  });
  return [all, moved, misread, two, repaired, replaced];
}
