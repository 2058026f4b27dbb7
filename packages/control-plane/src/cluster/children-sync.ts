import { deepEqual, type Kind, type KubeObject } from '@outrigger/core';
import { accepting } from '../controllers/accepting.js';
import type { ControllerContext } from '../controllers/contract.js';
import { lookUp } from '../controllers/follow.js';
import { deployments, jobs, namespaces, pods, replicaSets } from '../controllers/kinds.js';
import { everyEntry } from '../every-entry.js';
import { storageKey, storagePrefix } from '../store/key.js';
import { BEHAVIOR_ANNOTATION, type Behavior } from './behavior.js';
import { podsOf, replicaSetOf } from './children.js';
import { isPodReady } from './pod-status.js';
import { replicaSetAnnotations, replicaSetFor, revisionOf } from './revisions.js';
import type { Progress } from './rollout.js';
import type { Workload } from './workload-status.js';

export interface ChildrenInput {
  readonly workload: Workload;
  readonly kind: Kind;
  readonly progress: Progress;
  readonly behavior: Behavior;
  readonly nodeCount: number;
}

export interface AwaitedPod {
  /** The storage key of the pod. */
  readonly key: string;
  readonly ownerUid: string;
}

/** The state of a workload's children after a pass. */
export interface Children {
  /** The number of pods of the current template that are ready; for a Job, the number of pods that have succeeded. */
  readonly readyPods: number;
  /** A pod that is not ready yet; absent if all pods are ready. */
  readonly awaited?: AwaitedPod;
  /** The revision number of a Deployment; undefined for other kinds. */
  readonly revision?: number;
}

/**
 * Creates the objects that a workload's controller would create: ReplicaSet and pods. When the rollout is complete and the new pods are
 * ready, deletes the old pods, and the ReplicaSets that exceed the Deployment's revision history limit. Resolves with undefined if no
 * children can be created now, for example because the namespace is being deleted.
 */
export async function syncChildren(context: ControllerContext, input: ChildrenInput): Promise<Children | undefined> {
  const { workload, kind, progress } = input;
  if (kind === jobs && progress.phase !== 'progressing' && progress.phase !== 'complete') return undefined;
  if (isTerminating(context, workload)) return undefined;
  if (kind !== deployments) return syncPods(context, workload, input);
  const current = await ensureReplicaSet(context, workload, progress.updated);
  if (!current) return undefined;
  const children = await syncPods(context, current, { ...input, kind: replicaSets });
  await writeReplicaSetStatus(context, current, progress, children.readyPods);
  if (isDone(progress, children.readyPods)) await retireOthers(context, workload, current);
  return { ...children, revision: revisionOf(current) };
}

/** Whether the namespace of a workload is being deleted. The API server rejects new objects in such a namespace. */
function isTerminating({ store }: ControllerContext, { metadata }: Workload): boolean {
  return lookUp(store, namespaces, metadata.namespace ?? '')?.metadata.deletionTimestamp !== undefined;
}

function isDone({ phase, updated }: Progress, readyPods: number): boolean {
  return phase === 'complete' && readyPods >= updated;
}

async function ensureReplicaSet(context: ControllerContext, deployment: Workload, replicas: number): Promise<Workload | undefined> {
  const owned: Workload[] = ownedBy(context, replicaSets, deployment);
  const found = replicaSetFor(deployment, owned);
  const others = owned.filter((replicaSet) => replicaSet !== found);
  const annotations = replicaSetAnnotations(deployment, found, others);
  if (!found) {
    const wanted = replicaSetOf(deployment, replicas);
    return create(context, replicaSets, { ...wanted, metadata: { ...wanted.metadata, annotations } });
  }
  if (found.spec?.replicas === replicas && deepEqual(annotations, found.metadata.annotations)) return found;
  const { name = '', namespace = '' } = found.metadata;
  return context.api.mergePatch(replicaSets, { name, namespace }, { metadata: { annotations }, spec: { replicas } });
}

async function syncPods(context: ControllerContext, parent: Workload, input: ChildrenInput): Promise<Children> {
  const { nodeCount, behavior, kind, progress } = input;
  const wanted = podsOf(parent, kind, progress.updated, { nodeCount, behavior });
  const existing = new Map(ownedBy(context, pods, parent).map((pod) => [pod.metadata.name, pod]));
  for (const pod of wanted) {
    const found = existing.get(pod.metadata.name);
    if (!found) await create(context, pods, pod);
    else await setBehavior(context, found, pod.metadata.annotations?.[BEHAVIOR_ANNOTATION]);
  }
  const unready = wanted.filter(({ metadata }) => {
    const found = lookUp<Workload>(context.store, pods, metadata.name ?? '', metadata.namespace);
    return !found || !isPodReady(found, parent.metadata.uid);
  });
  const readyPods = wanted.length - unready.length;
  if (isDone(progress, readyPods)) {
    for (const { metadata } of wanted) existing.delete(metadata.name);
    for (const pod of existing.values()) await remove(context, pods, pod);
  }
  const last = unready.at(-1)?.metadata;
  if (!last) return { readyPods };
  const key = storageKey({ ...pods, namespace: last.namespace ?? '', name: last.name ?? '' });
  return { readyPods, awaited: { key, ownerUid: parent.metadata.uid ?? '' } };
}

/** Gives a pod the behavior of its workload, which may have changed since the pod was created. */
async function setBehavior({ api }: ControllerContext, { metadata }: KubeObject, behavior: string | undefined): Promise<void> {
  if (metadata.annotations?.[BEHAVIOR_ANNOTATION] === behavior) return;
  const { name = '', namespace = '' } = metadata;
  const patch = { metadata: { annotations: { [BEHAVIOR_ANNOTATION]: behavior ?? null } } };
  await accepting(api.mergePatch(pods, { name, namespace }, patch), 'NotFound');
}

async function writeReplicaSetStatus(
  context: ControllerContext,
  replicaSet: Workload,
  { updated, phase }: Progress,
  readyPods: number,
): Promise<void> {
  const readyHere = phase === 'complete' ? readyPods : 0;
  const counts = readyHere === 0 ? {} : { readyReplicas: readyHere, availableReplicas: readyHere };
  const observedGeneration = replicaSet.metadata.generation ?? 1;
  const { status } = replicaSet;
  if (status?.['replicas'] === updated && (status.readyReplicas ?? 0) === readyHere && status.observedGeneration === observedGeneration)
    return;
  await context.api.replace(
    replicaSets,
    { ...replicaSet, status: { observedGeneration, replicas: updated, fullyLabeledReplicas: updated, ...counts } } as KubeObject,
    'status',
  );
}

async function retireOthers(context: ControllerContext, deployment: Workload, current: Workload): Promise<void> {
  for (const old of ownedBy(context, replicaSets, deployment) as Workload[]) {
    if (old.metadata.name === current.metadata.name) continue;
    for (const pod of ownedBy(context, pods, old)) await remove(context, pods, pod);
    if (old.spec?.replicas === 0) continue;
    const { name = '', namespace = '' } = old.metadata;
    const scaled = (await context.api.mergePatch(replicaSets, { name, namespace }, { spec: { replicas: 0 } })) as Workload;
    await context.api.replace(
      replicaSets,
      { ...scaled, status: { observedGeneration: scaled.metadata.generation ?? 1, replicas: 0 } } as KubeObject,
      'status',
    );
  }
  await forgetOldest(context, deployment, current);
}

/** The default number of old revisions that a Deployment keeps. */
const HISTORY = 10;

async function forgetOldest(context: ControllerContext, deployment: Workload, current: Workload): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? HISTORY;
  const old = ownedBy(context, replicaSets, deployment).filter(({ metadata }) => metadata.name !== current.metadata.name);
  for (const replicaSet of old.sort((a, b) => revisionOf(b) - revisionOf(a)).slice(limit)) await remove(context, replicaSets, replicaSet);
}

function ownedBy({ store }: ControllerContext, kind: Kind, owner: KubeObject): KubeObject[] {
  const { namespace = '', uid } = owner.metadata;
  return [...everyEntry(store, storagePrefix(kind, namespace))]
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.ownerReferences?.some((reference) => reference.uid === uid));
}

function create({ api }: ControllerContext, kind: Kind, object: KubeObject): Promise<KubeObject | undefined> {
  return accepting(api.create(kind, object), 'AlreadyExists', 'NotFound');
}

async function remove({ api }: ControllerContext, kind: Kind, { metadata }: KubeObject): Promise<void> {
  const { name = '', namespace = '', uid } = metadata;
  await accepting(
    api.remove(kind, { name, namespace }, { preconditions: { uid }, propagationPolicy: 'Background' }),
    'NotFound',
    'Conflict',
  );
}
