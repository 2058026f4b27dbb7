import { type AppliedResource, type ManifestCondition, appliedManifestWorkName, hubHash } from '@outrigger/api';
import type { KubeObject, ObjectKey } from '@outrigger/core';
import {
  type CacheView,
  type KeyMemory,
  type ObjectRef,
  type Outcomes,
  type Resource,
  UNKNOWN,
  objectId,
  versionedId,
} from '@outrigger/kube';
import { type AppliedWorkProjection, appliedWorks } from '../resources/applied-works.js';
import type { WorkProjection } from '../resources/works.js';
import { APPLIED_WORK_ACTION } from './actions.js';
import type { Attempts } from './attempts.js';
import { type PermissionCheck, checksWriter, readCheck, verbsFor } from './executor/check.js';
import { grantedObject } from './executor/grants.js';
import { DEFAULT_TREATMENT, treatmentOf } from './manifest/config.js';
import { prepare } from './manifest/normalize.js';
import { type Contest, leftUntil, listFrom, listWritten, takenOver } from './ownership/contest.js';
import { APPLIED_RESOURCES_ACTION, idOfResource, isClaimed } from './ownership/applied-resources.js';
import { isOwned } from './ownership/policy.js';
import { refOfManifest, refOfResource, workOwner } from './refs.js';
import type { GoneWork, Leftover, ManifestState, Reading, WorkMemory, WorkState } from './state.js';
import { NO_MEMORY } from './memory.js';
import { resourceMeta } from './status/manifest-status.js';
import { mustRecreate } from './strategy/update.js';
import type { WorkAgent } from './work-agent.js';

/** The ids of the actions that write the applied work. */
const APPLIED_WORK_WRITES: readonly string[] = [APPLIED_WORK_ACTION, APPLIED_RESOURCES_ACTION];

export interface ObservedWork extends WorkState {
  readonly memory: WorkMemory;
}

/** Observes everything that one pass needs: the work, its applied work, and the known state of every object that either names. */
export function observeWork(
  view: CacheView,
  key: ObjectKey,
  hubWorks: Resource<WorkProjection>,
  agent: WorkAgent,
  memory: KeyMemory<WorkMemory>,
): ObservedWork | GoneWork | undefined {
  const work = view.get(hubWorks, key);
  const owner = workOwner(key.name);
  if (!work) return agent.live.isOwner(owner) ? { name: key.name } : undefined;
  const { attempts, contest: lastContest, inspections } = memory.remembered ?? NO_MEMORY;
  const appliedWorkName = appliedManifestWorkName(agent.hubServer, key.name);
  const appliedWork = view.get(appliedWorks, { name: appliedWorkName });
  const contest = contestOf(appliedWork, lastContest, agent.agentId, memory);
  const manifests = work.isDeleting ? [] : manifestStates(work, attempts, agent);
  const leftovers = leftoversOf(work, appliedWork, manifests, agent);
  const tracked = manifests.filter(({ isTracked }) => isTracked).length + leftovers.filter(({ isTracked }) => isTracked).length;
  return {
    name: key.name,
    work,
    appliedWork,
    appliedWorkName,
    hubHash: hubHash(agent.hubServer),
    agentId: agent.agentId,
    manifests,
    leftovers,
    isTrackingMore: agent.live.countOf(owner) > tracked,
    feedback: agent.feedback,
    inspections,
    appliedWorkLeftUntil: contest.taken && appliedWork?.agentId !== agent.agentId ? leftUntil(contest.taken) : undefined,
    listFrom: appliedWork && contest.written ? listFrom(contest.written) : undefined,
    memory: { attempts, contest, inspections },
    appliedWorkRefusal: APPLIED_WORK_WRITES.map((id) => memory.refusal(id)?.message).find((message) => message !== undefined),
    releaseProblems: agent.releaseProblems.of(appliedWorkName, (appliedWork?.resources ?? []).map(idOfResource)),
  };
}

/**
 * Updates the state by which the agent detects that another agent applies the same work. Records when the API server last accepted this
 * agent's list of resources and, if the applied work now has another agent's id, when the API server last accepted this agent's id.
 */
function contestOf(appliedWork: AppliedWorkProjection | undefined, contest: Contest, agentId: string, outcomes: Outcomes): Contest {
  if (!appliedWork) return contest;
  const takenAt = outcomes.acceptedAt(APPLIED_WORK_ACTION);
  const writtenAt = outcomes.acceptedAt(APPLIED_RESOURCES_ACTION);
  const isTaken = appliedWork.agentId !== agentId && takenAt !== undefined;
  return {
    ...contest,
    ...(isTaken ? { taken: takenOver(contest, takenAt) } : {}),
    ...(writtenAt === undefined ? {} : { written: listWritten(contest, writtenAt) }),
  };
}

function manifestStates(work: WorkProjection, attempts: Attempts, agent: WorkAgent): readonly ManifestState[] {
  const firstBySame = new Map<string, number>();
  return (work.spec.workload?.manifests ?? []).map((manifest, ordinal) => {
    const state = manifestState(manifest, ordinal, work, attempts, agent);
    if (!state.ref) return state;
    const duplicateOf = firstBySame.get(objectId(state.ref));
    if (duplicateOf === undefined) firstBySame.set(objectId(state.ref), ordinal);
    return { ...state, duplicateOf };
  });
}

function manifestState(object: KubeObject, ordinal: number, work: WorkProjection, attempts: Attempts, agent: WorkAgent): ManifestState {
  const manifest = prepare(object);
  const lookup = agent.kinds.lookup(manifest.object.apiVersion, manifest.object.kind);
  const ref = lookup.state === 'served' ? refOfManifest(manifest.object, lookup.kind) : undefined;
  const before = entryOf(work.status.resourceStatus?.manifests ?? [], resourceMeta({ ordinal, manifest, ref }));
  const base = { ordinal, manifest, lookup, ref, before, duplicateOf: undefined };
  if (!ref) {
    const nothing = { live: UNKNOWN, isTracked: false, treatment: DEFAULT_TREATMENT, isOwned: false };
    return { ...base, ...nothing, attempt: undefined, check: undefined, permission: undefined, reading: 'allowed' };
  }
  const owner = workOwner(work.key.name);
  const treatment = treatmentOf(work.spec.manifestConfigs ?? [], ref);
  const owned = treatment.strategy.type !== 'ReadOnly' && isOwned(work.spec.deleteOption, ref);
  const live = agent.live.get(ref);
  const check = checkFor({ work, ref, live, treatment, isOwned: owned, object: manifest.object });
  return {
    ...base,
    live,
    isTracked: agent.live.isTracking(owner, ref),
    treatment,
    isOwned: owned,
    attempt: attempts.get(versionedId(ref)),
    check,
    permission: check && agent.permissions.get(check),
    reading: readingOf(check, agent),
  };
}

function readingOf(check: PermissionCheck | undefined, { permissions }: WorkAgent): Reading {
  if (!check) return 'allowed';
  const permission = permissions.get(readCheck(check));
  if (!permission) return 'unasked';
  return permission.type === 'allowed' ? 'allowed' : 'refused';
}

interface CheckInput extends Pick<ManifestState, 'live' | 'treatment' | 'isOwned'> {
  readonly work: WorkProjection;
  readonly ref: ObjectRef;
  readonly object: KubeObject;
}

function checkFor({ work, ref, live, treatment, isOwned: owned, object }: CheckInput): PermissionCheck | undefined {
  const { executor } = work.spec;
  if (!executor) return undefined;
  const isRecreated = treatment.strategy.type === 'Update' && live.state === 'present' && mustRecreate(object, live.object);
  const verbs = verbsFor(treatment.strategy, owned || isRecreated);
  const isWritten = treatment.strategy.type !== 'ReadOnly';
  const { generation, key } = work;
  const grants = isWritten && checksWriter(ref) ? { grants: grantedObject(object, live, treatment.strategy) } : {};
  return { owner: workOwner(key.name), generation, executor, ref, verbs, ...grants };
}

/** Returns the status entry of the same object at any position in the list, because manifests may be reordered. */
export function entryOf(entries: readonly ManifestCondition[], meta: ManifestCondition['resourceMeta']): ManifestCondition | undefined {
  return entries.find(
    ({ resourceMeta: it }) =>
      (it.group ?? '') === meta.group && it.kind === meta.kind && it.name === meta.name && (it.namespace ?? '') === meta.namespace,
  );
}

/**
 * Returns the listed resources that no manifest names any more. If the work is being deleted, these are only the resources that stay on the
 * cluster, because deleting the applied work removes the others.
 */
function leftoversOf(
  work: WorkProjection,
  appliedWork: AppliedWorkProjection | undefined,
  manifests: readonly ManifestState[],
  agent: WorkAgent,
): readonly Leftover[] {
  const wanted = new Set(manifests.flatMap(({ ref }) => (ref ? [objectId(ref)] : [])));
  const unserved = manifests.filter(({ ref }) => !ref);
  const isLeft = (resource: AppliedResource): boolean =>
    !wanted.has(idOfResource(resource)) && !unserved.some((manifest) => isClaimed(resource, manifest));
  return (appliedWork?.resources ?? []).filter(isLeft).flatMap((resource) => {
    const ref = refOfResource(resource, agent.kinds);
    const isOrphan = !isOwned(work.spec.deleteOption, ref);
    if (work.isDeleting && !isOrphan) return [];
    const isTracked = agent.live.isTracking(workOwner(work.key.name), ref);
    return [{ ref, uid: resource.uid ?? '', live: agent.live.get(ref), isTracked, isOrphan }];
  });
}
