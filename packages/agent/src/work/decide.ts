import {
  APPLIED_MANIFEST_WORK_FINALIZER,
  MANIFEST_WORK_FINALIZER,
  type AppliedResource,
  appliedManifestWorks,
  manifestWorks,
} from '@outrigger/api';
import {
  type JsonObject,
  type KubeObject,
  type OwnerReference,
  apiVersionOf,
  conditionStatus,
  deepEqual,
  findCondition,
} from '@outrigger/core';
import { type Action, type Decision, NOTHING, type Now } from '@outrigger/kube';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { ObjectRef } from '../live/live-objects.js';
import { matches, replacement, withOwner } from './matches.js';
import { rankOf } from './rank.js';
import type { ManifestState, WorkState } from './state.js';
import { applyId, statusPatch } from './status.js';

/** Input of the effect that makes an object known: its kind resolved, its watch running. */
export interface TrackInput {
  readonly work: string;
  readonly manifests: readonly KubeObject[];
  readonly leftovers: readonly ObjectRef[];
}

/** Input of the effects that write and remove one object on the managed cluster. */
export interface PutInput {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly isNew: boolean;
}
export interface RemoveInput {
  readonly ref: ObjectRef;
  readonly uid: string;
}

/** One pass over a ManifestWork. Each step leaves a legal state behind: the finalizer before the record, the record before the objects. */
export function decide(state: WorkState, now: Now): Decision {
  if (!state.work || state.work.isDeleting) return finalize(state);
  if (!state.work.finalizers.includes(MANIFEST_WORK_FINALIZER))
    return { stages: [[patchFinalizers(state, [...state.work.finalizers, MANIFEST_WORK_FINALIZER])]] };
  if (!state.applied) return { stages: [[createApplied(state)]] };
  if (conditionStatus(state.work.status.conditions, 'Complete') === 'True') return NOTHING;
  const untracked = state.manifests.some(({ isTracked }) => !isTracked) || state.leftovers.some(({ isTracked }) => !isTracked);
  if (untracked) return { stages: [[track(state)]] };

  const owner = ownerOf(state);
  const writes = byRank(state.manifests.flatMap((manifest) => write(manifest, state, owner)));
  const record = appliedResources(state);
  const patch = statusPatch(state, now);
  const effects = [...writes, record ? [record] : [], removals(state)].filter((stage) => stage.length > 0);
  // The status speaks of what stands now; after a write of ours the objects' own events bring the next pass.
  const status = patch ? [[patchStatus(state, patch)]] : [];
  return { stages: [...effects, ...status] };
}

/** Removes what the work put on the cluster, then the record of it, then the work's finalizer. */
function finalize(state: WorkState): Decision {
  const { work, applied } = state;
  if (applied) {
    const untracked = state.leftovers.some(({ isTracked }) => !isTracked);
    if (untracked) return { stages: [[track(state)]] };
    if (!applied.isDeleting) return { stages: [[deleteApplied(state)]] };
    const remaining = state.leftovers.filter(({ live, uid }) => live.state === 'present' && live.object.metadata.uid === uid);
    if (remaining.length > 0) return { stages: [removals(state)] };
    if (state.leftovers.some(({ live }) => live.state === 'unknown')) return NOTHING;
    return { stages: [[releaseApplied(state)]] };
  }
  if (!work?.finalizers.includes(MANIFEST_WORK_FINALIZER)) return NOTHING;
  return {
    stages: [
      [
        patchFinalizers(
          state,
          work.finalizers.filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER),
        ),
      ],
    ],
  };
}

/** Creates what is absent, and writes over what differs or was not yet written for this generation. */
function write(manifest: ManifestState, state: WorkState, owner: OwnerReference): { rank: number; action: Action }[] {
  const { ref, live, ordinal } = manifest;
  if (!ref || live.state === 'unknown') return [];
  const rank = rankOf(manifest.manifest.kind);
  const effect = (input: PutInput): { rank: number; action: Action } => ({
    rank,
    action: { type: 'effect', effect: 'put', id: applyId(ordinal), input },
  });
  if (live.state === 'absent') {
    const metadata = { ...manifest.manifest.metadata, ownerReferences: withOwner(manifest.manifest.metadata.ownerReferences ?? [], owner) };
    return [effect({ ref, object: { ...manifest.manifest, metadata }, isNew: true })];
  }
  const isOwned = (live.object.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.uid);
  if (isWritten(manifest, state) && isOwned && matches(manifest.manifest, live.object)) return [];
  return [effect({ ref, object: replacement(manifest.manifest, live.object, owner), isNew: false })];
}

/** Whether this generation of the manifest has been written before: a field taken out of it does not show in the object itself. */
function isWritten({ ordinal }: ManifestState, { work, outcomes }: WorkState): boolean {
  const applied = findCondition(work?.status.resourceStatus?.manifests?.[ordinal]?.conditions, 'Applied');
  return (applied?.status === 'True' && applied.observedGeneration === work?.generation) || outcomes.hasSucceeded(applyId(ordinal));
}

function byRank(writes: readonly { rank: number; action: Action }[]): Action[][] {
  const ranks = [...new Set(writes.map(({ rank }) => rank))].sort((a, b) => a - b);
  return ranks.map((rank) => writes.filter((candidate) => candidate.rank === rank).map(({ action }) => action));
}

/** Objects the work no longer asks for (all of them once it is going), if they are still the ones it made. */
function removals(state: WorkState): Action[] {
  const owner = state.applied?.uid;
  return state.leftovers.flatMap(({ ref, uid, live }): Action[] => {
    if (live.state !== 'present' || live.object.metadata.uid !== uid || live.object.metadata.deletionTimestamp !== undefined) return [];
    if (!(live.object.metadata.ownerReferences ?? []).some((reference) => reference.uid === owner)) return [];
    const input: RemoveInput = { ref, uid };
    return [{ type: 'effect', effect: 'remove', id: `remove/${ref.kind.plural}/${ref.namespace}/${ref.name}`, input }];
  });
}

/** The list of what is ours on the cluster: what stands, and what is on its way out. */
function appliedResources(state: WorkState): Action | undefined {
  const { applied } = state;
  if (!applied) return undefined;
  const standing = state.manifests.flatMap(({ ref, live }): AppliedResource[] =>
    ref && live.state === 'present' ? [resourceOf(ref, live.object.metadata.uid ?? '')] : [],
  );
  const leaving = state.leftovers.filter(({ live }) => live.state !== 'absent').map(({ ref, uid }) => resourceOf(ref, uid));
  const next = [...standing, ...leaving].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  if (deepEqual(next, applied.applied)) return undefined;
  return {
    type: 'patch',
    id: 'applied-resources',
    api: CLUSTER,
    kind: appliedManifestWorks,
    key: applied.key,
    subresource: 'status',
    patch: { status: { appliedResources: next as unknown as JsonObject[] } },
    precondition: { uid: applied.uid, resourceVersion: applied.resourceVersion },
  };
}

function resourceOf({ kind, namespace, name }: ObjectRef, uid: string): AppliedResource {
  return { group: kind.group, version: kind.version, resource: kind.plural, name, ...(namespace === '' ? {} : { namespace }), uid };
}

function sortKey({ group = '', version, resource, namespace = '', name }: AppliedResource): string {
  return [group, version, resource, namespace, name].join('\u0000');
}

function track(state: WorkState): Action {
  const manifests = state.work && !state.work.isDeleting ? state.manifests.map(({ manifest }) => manifest) : [];
  const input: TrackInput = { work: state.name, manifests, leftovers: state.leftovers.map(({ ref }) => ref) };
  return { type: 'effect', effect: 'track', id: 'track', input };
}

function ownerOf({ applied, appliedName }: WorkState): OwnerReference {
  return { apiVersion: apiVersionOf(appliedManifestWorks), kind: appliedManifestWorks.kind, name: appliedName, uid: applied?.uid ?? '' };
}

function createApplied(state: WorkState): Action {
  const object = {
    apiVersion: apiVersionOf(appliedManifestWorks),
    kind: appliedManifestWorks.kind,
    metadata: { name: state.appliedName, labels: state.work?.labels ?? {}, finalizers: [APPLIED_MANIFEST_WORK_FINALIZER] },
    spec: { hubHash: state.hubHash, agentID: state.agentId, manifestWorkName: state.name },
  };
  return { type: 'create', id: 'applied-work', api: CLUSTER, kind: appliedManifestWorks, object, accept: ['AlreadyExists'] };
}

function deleteApplied({ applied }: WorkState): Action {
  return {
    type: 'delete',
    id: 'applied-work',
    api: CLUSTER,
    kind: appliedManifestWorks,
    key: applied?.key ?? { name: '' },
    precondition: { uid: applied?.uid ?? '' },
    accept: ['NotFound'],
  };
}

function releaseApplied({ applied }: WorkState): Action {
  const finalizers = (applied?.finalizers ?? []).filter((finalizer) => finalizer !== APPLIED_MANIFEST_WORK_FINALIZER);
  return {
    type: 'patch',
    id: 'applied-finalizer',
    api: CLUSTER,
    kind: appliedManifestWorks,
    key: applied?.key ?? { name: '' },
    patch: { metadata: { finalizers } },
    precondition: { uid: applied?.uid ?? '', resourceVersion: applied?.resourceVersion ?? '' },
    accept: ['NotFound'],
  };
}

function patchFinalizers({ work }: WorkState, finalizers: readonly string[]): Action {
  return {
    type: 'patch',
    id: 'finalizer',
    api: HUB,
    kind: manifestWorks,
    key: work?.key ?? { name: '' },
    patch: { metadata: { finalizers } },
    precondition: { uid: work?.uid ?? '', resourceVersion: work?.resourceVersion ?? '' },
    accept: ['NotFound'],
  };
}

function patchStatus({ work }: WorkState, status: JsonObject): Action {
  return {
    type: 'patch',
    id: 'status',
    api: HUB,
    kind: manifestWorks,
    key: work?.key ?? { name: '' },
    subresource: 'status',
    patch: { status },
    precondition: { uid: work?.uid ?? '', resourceVersion: work?.resourceVersion ?? '' },
  };
}
