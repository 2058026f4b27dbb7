import type { Kind, KubeObject } from '@outrigger/core';
import { accepting } from '../controllers/accepting.js';
import type { ControllerContext } from '../controllers/contract.js';
import { lookUp } from '../controllers/follow.js';
import { deployments, jobs, pods, replicaSets } from '../controllers/kinds.js';
import { everyEntry } from '../every-entry.js';
import { storagePrefix } from '../store/key.js';
import type { Behavior } from './behavior.js';
import { podsOf, REVISION_ANNOTATION, replicaSetOf } from './children.js';
import type { Progress } from './rollout.js';
import type { Workload } from './workload-status.js';

export interface ChildrenInput {
  readonly workload: Workload;
  readonly kind: Kind;
  readonly progress: Progress;
  readonly behavior: Behavior;
  readonly nodeCount: number;
}

/**
 * Creates the objects that a workload's controller would create: ReplicaSet and pods. Deletes the old objects when the rollout is complete.
 * Resolves with the revision number of a Deployment; undefined for other kinds.
 */
export async function syncChildren(context: ControllerContext, input: ChildrenInput): Promise<number | undefined> {
  const { workload, kind, progress } = input;
  if (kind === jobs && progress.phase !== 'progressing') return undefined;
  if (kind !== deployments) {
    await syncPods(context, workload, input, progress.updated);
    return undefined;
  }
  const current = await ensureReplicaSet(context, workload, replicaSetOf(workload, progress.updated));
  if (!current) return undefined;
  await syncPods(context, current, { ...input, kind: replicaSets }, progress.updated);
  await writeReplicaSetStatus(context, current, progress);
  if (progress.phase === 'complete') await retireOthers(context, workload, current);
  return revisionOf(current);
}

async function ensureReplicaSet(context: ControllerContext, deployment: Workload, wanted: Workload): Promise<Workload | undefined> {
  const { name = '', namespace = '' } = wanted.metadata;
  const found = lookUp<Workload>(context.store, replicaSets, name, namespace);
  const replicas = wanted.spec?.replicas ?? 0;
  const others = ownedBy(context, replicaSets, deployment).filter(({ metadata }) => metadata.name !== name);
  const newest = Math.max(0, ...others.map(revisionOf));
  const annotations = { [REVISION_ANNOTATION]: String(newest + 1) };
  if (!found) return create(context, replicaSets, { ...wanted, metadata: { ...wanted.metadata, annotations } });
  const isNewest = revisionOf(found) > newest;
  if (found.spec?.replicas === replicas && isNewest) return found;
  const metadata = isNewest ? {} : { metadata: { annotations } };
  return context.api.mergePatch(replicaSets, { name, namespace }, { ...metadata, spec: { replicas } });
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION_ANNOTATION] ?? 0);
}

async function syncPods(context: ControllerContext, parent: Workload, input: ChildrenInput, count: number): Promise<void> {
  const { nodeCount, behavior, kind, progress } = input;
  const wanted = podsOf(parent, kind, count, { nodeCount, behavior });
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const existing = ownedBy(context, pods, parent);
  const present = new Set(existing.map(({ metadata }) => metadata.name));
  for (const pod of wanted) if (!present.has(pod.metadata.name)) await create(context, pods, pod);
  if (progress.phase !== 'complete') return;
  for (const pod of existing) if (!names.has(pod.metadata.name)) await remove(context, pods, pod);
}

async function writeReplicaSetStatus(context: ControllerContext, replicaSet: Workload, { updated, ready, phase }: Progress): Promise<void> {
  const readyHere = phase === 'complete' ? ready : 0;
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
