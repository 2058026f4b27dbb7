import {
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  appliedManifestWorks,
  clusterManagementAddOns,
  controllerRevisions,
  deployments,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
  roleBindings,
} from '@outrigger/api';
import { type Condition, type Kind, type KubeObject, type Runtime, apiVersionOf, keyOf, keyString } from '@outrigger/core';
import type { Store } from '@outrigger/control-plane';
import type { Client } from '@outrigger/kube';
import {
  ADD_ONS,
  CLUSTERS,
  type Evidence,
  type LogEntry,
  OWN_CONFIG,
  VERSIONS,
  deploymentConfig,
  managedCluster,
  namedPlacements,
  phaseOf,
  placement,
  template,
} from '@outrigger/simulator';
import { actOnHub, put } from './people.js';

/** The kinds whose objects the model reads. */
const JUDGED: readonly Kind[] = [
  clusterManagementAddOns,
  managedClusterAddOns,
  addOnRollouts,
  manifestWorks,
  managedClusters,
  placements,
  placementDecisions,
  addOnTemplates,
  addOnDeploymentConfigs,
  controllerRevisions,
  roleBindings,
];
const ON_CLUSTERS: readonly Kind[] = [deployments, appliedManifestWorks];

/** Returns the state of each add-on's rollout. */
export async function phasesOf(hub: Client): Promise<ReadonlyMap<string, string>> {
  const { items } = await hub.list(addOnRollouts);
  return new Map(items.map((rollout) => [rollout.metadata.name ?? '', phaseOf(rollout)]));
}

/** Creates the same initial objects as a run of the first simulation layer. */
export async function prepare(hub: Client): Promise<void> {
  const binding = { apiVersion: apiVersionOf(managedClusterSetBindings), kind: 'ManagedClusterSetBinding' };
  await hub.create(managedClusterSetBindings, {
    ...binding,
    metadata: { namespace: 'default', name: 'global' },
    spec: { clusterSet: 'global' },
  });
  for (const addOn of ADD_ONS) for (const version of VERSIONS) await put(hub, addOnTemplates, template(addOn, version, 'good-0'));
  for (const name of [...ADD_ONS, OWN_CONFIG])
    await put(hub, addOnDeploymentConfigs, deploymentConfig(name, name === OWN_CONFIG ? 'own' : '0'));
  await put(hub, placements, placement('all', { fleet: 'yes' }, 1, true));
  await put(hub, placements, placement('canary', { canary: 'yes' }, 1, false));
  for (const [i, name] of CLUSTERS.slice(0, 3).entries()) {
    await put(hub, managedClusters, managedCluster(name, { fleet: 'yes', ...(i === 0 ? { canary: 'yes' } : {}) }));
  }
}

/** Creates missing Placements, and removes the pauses and pins that users have set. */
export async function heal(hub: Client): Promise<void> {
  const { items: declarations } = await hub.list(clusterManagementAddOns);
  for (const name of new Set(declarations.flatMap(namedPlacements))) await actOnHub(hub, { do: 'create placement', placement: name });
  for (const addOn of ADD_ONS) {
    await actOnHub(hub, { do: 'pause', addOn, paused: false });
    await actOnHub(hub, { do: 'pin', addOn, back: undefined });
  }
}

/** The criteria by which a test recognises a settled hub. */
export interface Settling {
  /** The hub has settled when no object that the model reads has changed for this long. */
  readonly quietMs: number;
  readonly limitMs: number;
  readonly everyMs: number;
  /** Returns the versions of all objects that the model reads. Default: a function that lists these objects. */
  readonly versionsOf?: () => Promise<ReadonlyMap<string, string>>;
  /** Whether the processes have nothing left to do. If the function is undefined, only changes of objects count. */
  readonly isAtRest?: () => Promise<boolean>;
}

/** Waits until nothing has changed for some time. A simulated user confirms every pending removal. */
export async function settle(hub: Client, { clock, timers }: Pick<Runtime, 'clock' | 'timers'>, settling: Settling): Promise<boolean> {
  const { quietMs, limitMs, everyMs, versionsOf = () => versions(hub), isAtRest = () => Promise.resolve(true) } = settling;
  const until = clock.monotonic() + limitMs;
  let last = await versionsOf();
  let since = clock.monotonic();
  while (clock.monotonic() < until) {
    await timers.sleep(everyMs);
    for (const addOn of ADD_ONS) await actOnHub(hub, { do: 'confirm', addOn, off: 0 });
    const now = await versionsOf();
    if (changes(last, now).length > 0 || !(await isAtRest())) since = clock.monotonic();
    last = now;
    if (clock.monotonic() - since >= quietMs) return true;
  }
  return false;
}

/** Returns the objects that were created, changed or deleted between two results of `versions`. */
export function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((id) => before.get(id) !== after.get(id));
}

/** Returns a function like `versions` that follows the store of an embedded server, so it sends no requests. */
export function followVersions({ store }: { readonly store: Store }): () => Promise<ReadonlyMap<string, string>> {
  const judged = new Set(JUDGED.map(({ kind }) => kind));
  const found = new Map<string, string>();
  store.subscribe(({ type, key, revision, object }) => {
    if (!judged.has(object.kind)) return;
    if (type === 'delete') found.delete(key);
    else found.set(key, String(revision));
  });
  return () => Promise.resolve(new Map(found));
}

/**
 * Follows the store of an embedded server. Returns every condition that an object has had since then, as `<kind> <key> <type> <status>
 * <reason>`.
 */
export function followConditions({ store }: { readonly store: Store }): ReadonlySet<string> {
  const found = new Set<string>();
  store.subscribe(({ object }) => {
    const { conditions = [] } = (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
    const of = `${object.kind} ${keyString(keyOf(object))}`;
    for (const { type, status, reason } of conditions) found.add(`${of} ${type} ${status} ${reason}`);
  });
  return found;
}

/** Returns the resourceVersion of every object that the model reads. */
async function versions(hub: Client): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [kind, objects] of await objectsOf(hub, JUDGED)) {
    for (const [id, { metadata }] of objects) found.set(`${kind} ${id}`, metadata.resourceVersion ?? '');
  }
  return found;
}

async function objectsOf(client: Client, kinds: readonly Kind[]): Promise<ReadonlyMap<string, ReadonlyMap<string, KubeObject>>> {
  const found = new Map<string, ReadonlyMap<string, KubeObject>>();
  for (const kind of kinds) {
    const { items } = await client.list(kind);
    found.set(kind.plural, new Map(items.map((item) => [keyString(keyOf(item)), item])));
  }
  return found;
}

/** The observations during a run. The objects at the end of the run are read from the servers. */
type RunFacts = Pick<Evidence, 'hasSettled' | 'hasFaults' | 'idleRequests' | 'restartRequests'>;

/** Reads the final state of the hub and of its clusters for the model. */
export async function evidenceOf(
  hub: Client,
  clusters: ReadonlyMap<string, { readonly api: Client }>,
  observed: RunFacts,
): Promise<Evidence> {
  const ofClusters = new Map<string, readonly LogEntry[]>();
  for (const [name, { api }] of clusters) {
    const objects = await objectsOf(api, ON_CLUSTERS);
    const entries = [...objects].flatMap(([kind, all]) => [...all].map(([id, after]) => ({ kind, id, after })));
    ofClusters.set(
      name,
      entries.map(({ kind, id, after }, index) => ({ index, at: 0, actor: 'end', kind, id, before: undefined, after, pass: undefined })),
    );
  }
  return {
    ...observed,
    initial: await objectsOf(hub, JUDGED),
    log: [],
    clusters: ofClusters,
    hasClockSteps: false,
    hasLostAnswers: observed.hasFaults,
    defects: [],
    onClusters: new Map(),
  };
}
