import {
  APPLIED_MANIFEST_WORK_FINALIZER,
  type AppliedResource,
  COPIED_LABELS_ANNOTATION,
  type UpdateStrategy,
  type WorkExecutor,
  appliedManifestWorks,
  manifestWorks,
} from '@outrigger/api';
import { type JsonObject, type KubeObject, apiVersionOf, deepEqual } from '@outrigger/core';
import { type ApiAction, type EffectAction, type ObjectRef, objectId } from '@outrigger/kube';
import { patchObserved, patchObservedStatus } from '../observed-actions.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { AppliedWorkProjection } from '../resources/applied-works.js';
import type { PermissionCheck } from './executor/check.js';
import type { Verdict } from './verdict.js';
import type { ReleaseInput } from './ownership/release.js';
import { resourceOf, workOwner } from './refs.js';
import type { ManifestState, WorkState } from './state.js';
import type { Write } from './strategy/situation.js';

/** The input of the effect that resolves the kinds of objects and starts their watches. */
export interface TrackInput {
  readonly owner: string;
  readonly manifests: readonly KubeObject[];
  readonly resources: readonly AppliedResource[];
}

/** The input of the effect that writes one object. */
export interface WriteInput {
  readonly owner: string;
  readonly ref: ObjectRef;
  readonly write: Write;
  readonly strategy: UpdateStrategy;
  readonly manifest: KubeObject;
  readonly content: string;
  /** The current object, if the write may be unnecessary. A dry run then shows whether the write would change it. */
  readonly compareWith?: KubeObject;
  /** The executor, if the API server may check more permissions of the writer than the verbs on the object. */
  readonly executor?: WorkExecutor;
}

export interface AskInput {
  readonly owner: string;
  readonly checks: readonly PermissionCheck[];
}

/** The input of the effect that reads the pods of a workload. */
export interface InspectInput {
  readonly owner: string;
  readonly ref: ObjectRef;
  readonly workload: KubeObject;
}

/** The effects of works and applied works, and their inputs. */
export type WorkEffects = {
  readonly track: TrackInput;
  readonly write: WriteInput;
  readonly release: ReleaseInput;
  readonly ask: AskInput;
  readonly inspect: InspectInput;
};

export type AppliedWorkEffects = Pick<WorkEffects, 'track' | 'release'>;

type WorkEffect = EffectAction<WorkEffects>;

export function track(state: WorkState): WorkEffect {
  const input: TrackInput = {
    owner: workOwner(state.name),
    manifests: state.manifests.map(({ manifest }) => manifest.object),
    resources: state.leftovers.map(({ ref, uid }) => resourceOf(ref, uid)),
  };
  return { type: 'effect', effect: 'track', id: 'track', input };
}

export function trackNothing(work: string): WorkEffect {
  const input: TrackInput = { owner: workOwner(work), manifests: [], resources: [] };
  return { type: 'effect', effect: 'track', id: 'track', input };
}

export function writeManifest(
  work: string,
  { ordinal, ref, treatment, manifest, live, check }: ManifestState,
  { write, content, isDoubtful }: Extract<Verdict, { readonly type: 'write' }>,
): WorkEffect {
  if (!ref) throw new Error(`manifest ${ordinal} of ${work} has no place on the cluster yet`);
  const compareWith = isDoubtful && live.state === 'present' ? { compareWith: live.object } : {};
  const input: WriteInput = {
    owner: workOwner(work),
    ref,
    write,
    strategy: treatment.strategy,
    manifest: manifest.object,
    content,
    ...compareWith,
    ...(check?.grants ? { executor: check.executor } : {}),
  };
  return { type: 'effect', effect: 'write', id: `manifest/${ordinal}`, input };
}

export function askPermissions(work: string, checks: readonly PermissionCheck[]): WorkEffect {
  const input: AskInput = { owner: workOwner(work), checks };
  return { type: 'effect', effect: 'ask', id: 'ask', input };
}

export function inspectWorkload(work: string, ref: ObjectRef, workload: KubeObject): WorkEffect {
  return { type: 'effect', effect: 'inspect', id: `inspect/${objectId(ref)}`, input: { owner: workOwner(work), ref, workload } };
}

/** The id of the actions that create the applied work or take it over for this agent. */
export const APPLIED_WORK_ACTION = 'applied-work';

export function createAppliedWork(state: WorkState): ApiAction {
  const { labels } = state.work;
  const object = {
    apiVersion: apiVersionOf(appliedManifestWorks),
    kind: appliedManifestWorks.kind,
    metadata: {
      name: state.appliedWorkName,
      finalizers: [APPLIED_MANIFEST_WORK_FINALIZER],
      ...(Object.keys(labels).length > 0 ? { labels, annotations: copiedFrom(labels) } : {}),
    },
    spec: specOf(state),
  };
  return { type: 'create', id: APPLIED_WORK_ACTION, api: CLUSTER, kind: appliedManifestWorks, object, accept: ['AlreadyExists'] };
}

/**
 * Returns a patch that sets this agent's id and the labels of the work on the applied work; other labels are kept. Returns undefined if the
 * applied work is already correct.
 */
export function patchAppliedWork(state: WorkState, appliedWork: AppliedWorkProjection): ApiAction | undefined {
  const { hubHash, agentId, workName } = appliedWork;
  const isSameSpec = deepEqual(specOf(state), { hubHash, agentID: agentId, manifestWorkName: workName });
  // An object that is being deleted is treated as having the finalizer, because the API server accepts no new finalizer on it.
  const hasFinalizer = appliedWork.isDeleting || appliedWork.finalizers.includes(APPLIED_MANIFEST_WORK_FINALIZER);
  const labels = labelChanges(state.work.labels, appliedWork);
  const isSameLabels = Object.keys(labels).length === 0;
  if (isSameSpec && hasFinalizer && isSameLabels) return undefined;
  const metadata = {
    ...(isSameLabels ? {} : { labels, annotations: copiedFrom(state.work.labels) }),
    ...(hasFinalizer ? {} : { finalizers: [...appliedWork.finalizers, APPLIED_MANIFEST_WORK_FINALIZER] }),
  };
  const patch = { metadata, ...(isSameSpec ? {} : { spec: specOf(state) }) };
  return patchObserved(appliedWork, CLUSTER, appliedManifestWorks, APPLIED_WORK_ACTION, patch);
}

function labelChanges(
  wanted: Readonly<Record<string, string>>,
  appliedWork: AppliedWorkProjection,
): Readonly<Record<string, string | null>> {
  const changed = Object.entries(wanted).filter(([label, value]) => appliedWork.labels[label] !== value);
  const stale = appliedWork.copiedLabels.filter((label) => !Object.hasOwn(wanted, label) && Object.hasOwn(appliedWork.labels, label));
  return Object.fromEntries([...changed, ...stale.map((label) => [label, null] as const)]);
}

function copiedFrom(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { [COPIED_LABELS_ANNOTATION]: Object.keys(labels).sort().join(',') };
}

function specOf({ hubHash, agentId, name }: WorkState): JsonObject {
  return { hubHash, agentID: agentId, manifestWorkName: name };
}

export function deleteAppliedWork({ key, uid }: AppliedWorkProjection): ApiAction {
  return { type: 'delete', id: 'applied-work', api: CLUSTER, kind: appliedManifestWorks, key, precondition: { uid }, accept: ['NotFound'] };
}

export function patchFinalizers({ work }: WorkState, finalizers: readonly string[]): ApiAction {
  return { ...patchObserved(work, HUB, manifestWorks, 'finalizer', { metadata: { finalizers } }), accept: ['NotFound'] };
}

export function patchStatus({ work }: WorkState, status: JsonObject): ApiAction {
  return patchObservedStatus(work, HUB, manifestWorks, 'status', status);
}
