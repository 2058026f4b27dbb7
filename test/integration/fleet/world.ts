import {
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  placementDecisions,
  placements,
  rolloutPolicies,
} from '@outrigger/api';
import { type Kind, type KubeObject, findCondition, isApiError, keyOf } from '@outrigger/core';
import { parseYamlDocuments } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { type WorldTime, eventually } from '../../world/eventually.js';

/** A hub with its manager, and the clock in use. The test acts as the agents; `playAgents` writes their reports. */
export interface FleetWorld extends WorldTime {
  readonly hub: Client;
}

/** A FleetWorld whose manager runs in this process. */
export interface StoryWorld extends FleetWorld {
  /** The time in milliseconds after which an add-on is removed if no entry selects its cluster. */
  readonly removeAfterMs: number;
  /** Resolves when the manager has processed all events, and has no pass due within this time. */
  atRest(withinMs: number): Promise<void>;
  /** Controls the metric `story_errors` of the metrics provider `story`. The provider `gone` does not answer. */
  readonly meters: Meters;
}

export interface Meters {
  /** Sets the metric value of each cluster. Resolves when the metrics provider returns the new values. */
  set(values: Readonly<Record<string, number>>): Promise<void>;
}

const KINDS: readonly Kind[] = [
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  rolloutPolicies,
];

/** Applies YAML as kubectl does, so that the user owns the fields that it sets. */
export async function applyYaml({ hub }: FleetWorld, text: string): Promise<void> {
  for (const { value } of parseYamlDocuments(text)) {
    const object = value as KubeObject;
    const kind = KINDS.find((candidate) => candidate.kind === object.kind);
    if (!kind) throw new Error(`no kind ${object.kind}`);
    await hub.apply(kind, object, { fieldManager: 'kubectl', force: true });
  }
}

export async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Creates a cluster that has joined and is available. */
export async function join(world: FleetWorld, name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await world.hub.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'kubectl' });
  await world.hub.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels },
    spec: { hubAcceptsClient: true },
  });
}

/**
 * Writes a Placement and its PlacementDecisions, as the placement controller would. A `selected` that differs from the number of clusters
 * means that the controller is still rewriting them.
 */
export async function choose(
  world: FleetWorld,
  name: string,
  clusters: readonly string[],
  selected: number = clusters.length,
): Promise<void> {
  const { hub } = world;
  const apiVersion = 'cluster.open-cluster-management.io/v1beta1';
  const key = { namespace: 'default', name };
  if (!(await found(hub.get(placements, key)))) {
    await hub.create(placements, { apiVersion, kind: 'Placement', metadata: key, spec: {} });
  }
  await hub.patch(placements, key, { type: 'merge', patch: { status: { numberOfSelectedClusters: selected } } }, { subresource: 'status' });
  const page = { namespace: 'default', name: `${name}-decision-1` };
  const labels = {
    'cluster.open-cluster-management.io/placement': name,
    'cluster.open-cluster-management.io/decision-group-index': '0',
  };
  if (!(await found(hub.get(placementDecisions, page)))) {
    await hub.create(placementDecisions, { apiVersion, kind: 'PlacementDecision', metadata: { ...page, labels } });
  }
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  await hub.patch(placementDecisions, page, { type: 'merge', patch: { status: { decisions } } }, { subresource: 'status' });
}

export function addOnOf({ hub }: FleetWorld, cluster: string, name = 'helloworld'): Promise<ManagedClusterAddOn | undefined> {
  return found(hub.get(managedClusterAddOns, { namespace: cluster, name }));
}

/** The status fields that the enhancement documents print, and installVersion, which the documents mention. */
export interface PrintedStatus {
  readonly lastVersion?: string;
  readonly installVersion?: string;
  readonly currentVersion?: string;
  readonly progressing: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
}

export function printed(clusterAddOn: ManagedClusterAddOn): PrintedStatus {
  const { lastVersion, installVersion, currentVersion, conditions } = clusterAddOn.status ?? {};
  const found = findCondition(conditions, 'Progressing');
  return {
    ...(lastVersion === undefined ? {} : { lastVersion }),
    ...(installVersion === undefined ? {} : { installVersion }),
    ...(currentVersion === undefined ? {} : { currentVersion }),
    progressing: found && { status: found.status, reason: found.reason, message: found.message },
  };
}

/** Waits until the add-on reports exactly this status, as the document shows it. Returns the add-on. */
export async function expectStatus(
  world: FleetWorld,
  cluster: string,
  want: PrintedStatus,
  name = 'helloworld',
): Promise<ManagedClusterAddOn> {
  const isWanted = (clusterAddOn: ManagedClusterAddOn): boolean => JSON.stringify(printed(clusterAddOn)) === JSON.stringify(want);
  return eventually(
    world,
    `${cluster}: ${JSON.stringify(want)}`,
    async () => {
      const clusterAddOn = await addOnOf(world, cluster, name);
      return clusterAddOn && isWanted(clusterAddOn) ? clusterAddOn : undefined;
    },
    async () => (await addOnOf(world, cluster, name))?.status,
  );
}

/** Writes the agents' reports: every work is applied and available at its generation. Returns the number of reports. */
export async function playAgents({ hub, clock }: FleetWorld): Promise<number> {
  let reported = 0;
  for (const work of (await hub.list(manifestWorks, {})).items) {
    if (isReported(work)) continue;
    const at = {
      lastTransitionTime: new Date(clock.now()).toISOString().replace(/\.\d+Z/, 'Z'),
      observedGeneration: work.metadata.generation ?? 0,
    };
    const conditions = [
      { type: 'Applied', status: 'True', reason: 'AppliedManifestWorkComplete', message: 'Apply manifest work complete', ...at },
      { type: 'Available', status: 'True', reason: 'ResourcesAvailable', message: 'All resources are available', ...at },
    ];
    await found(hub.patch(manifestWorks, keyOf(work), { type: 'merge', patch: { status: { conditions } } }, { subresource: 'status' }));
    reported++;
  }
  return reported;
}

function isReported(work: ManifestWork): boolean {
  return findCondition(work.status?.conditions, 'Available')?.observedGeneration === work.metadata.generation;
}

/** Waits until a work of the cluster has the given version, then writes the reports of all agents. */
export async function rollOut(world: FleetWorld, cluster: string, version: string, name = 'helloworld'): Promise<void> {
  await eventually(world, `work of ${cluster} at ${version}`, async () => {
    const { items } = await world.hub.list(manifestWorks, { namespace: cluster });
    const isThere = items.some(
      ({ metadata: { labels = {} } }) =>
        labels['open-cluster-management.io/addon-name'] === name && labels['open-cluster-management.io/addon-version'] === version,
    );
    return isThere ? true : undefined;
  });
  await playAgents(world);
}
