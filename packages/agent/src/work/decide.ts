import { MANIFEST_WORK_FINALIZER } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { Action, Decision, Now } from '@outrigger/kube';
import {
  type WorkEffects,
  askPermissions,
  createAppliedWork,
  deleteAppliedWork,
  inspectWorkload,
  patchAppliedWork,
  patchFinalizers,
  patchStatus,
  track,
  trackNothing,
  writeManifest,
} from './actions.js';
import { type Verdict, verdictOf, wasApplied } from './verdict.js';
import { currentInspections, inspectAt, inspectionOf, unreadyWorkload } from './inspection/inspection.js';
import { driftEvents } from './drift-events.js';
import { rankOf } from './manifest/rank.js';
import { appliedResources, patchAppliedResources } from './ownership/applied-resources.js';
import { ownerReference } from './ownership/owners.js';
import { releases } from './ownership/release.js';
import type { GoneWork, WritableWork, WorkMemory, WorkState } from './state.js';
import { deletingPatch, appliedWorkRefusedPatch, statusPatch } from './status/work-status.js';

type WorkDecision = Decision<WorkMemory, WorkEffects>;
type WorkAction = Action<WorkEffects>;

/**
 * Decides one pass over a ManifestWork. The order of writes keeps the state valid after a crash: the finalizer before the applied work, the
 * applied work before the objects, the list of objects before the status that reports on them.
 */
export function decide(state: WorkState | GoneWork, now: Now): WorkDecision {
  if (!state.work) return { stages: [[trackNothing(state.name)]] };
  if (state.work.isDeleting) return finalize(state, now);
  const { finalizers } = state.work;
  if (!finalizers.includes(MANIFEST_WORK_FINALIZER)) {
    return { stages: [[patchFinalizers(state, [...finalizers, MANIFEST_WORK_FINALIZER])]] };
  }
  if (!state.appliedWork) return { stages: [...appliedWorkRefused(state, now), [createAppliedWork(state)]] };
  const contestedMs = contestedForMs(state, now);
  if (contestedMs > 0) return { stages: [], requeueAfterMs: contestedMs };
  const patched = patchAppliedWork(state, state.appliedWork);
  if (patched) return { stages: [...appliedWorkRefused(state, now), [patched]] };
  // The applied work is being deleted. The agent creates a new one after its objects are removed.
  if (state.appliedWork.isDeleting) return { stages: [] };
  if (needsTracking(state, now)) return { stages: [[track(state)]] };
  const owner = ownerReference({ name: state.appliedWorkName, uid: state.appliedWork.uid });
  return apply({ ...state, appliedWork: state.appliedWork, owner }, now);
}

/**
 * Returns the remaining time in milliseconds in which this agent does not write the applied work and its objects, because another agent has
 * taken them over.
 */
function contestedForMs({ appliedWorkLeftUntil }: WorkState, now: Now): number {
  return Math.max(0, (appliedWorkLeftUntil ?? 0) - now.monotonic);
}

function apply(state: WritableWork, now: Now): WorkDecision {
  const verdicts = state.manifests.map((manifest) => verdictOf(manifest, state, now));
  const listing = patchAppliedResources(state.appliedWork, appliedResources(state, verdicts));
  const listInMs = listing && state.listFrom !== undefined ? state.listFrom - now.monotonic : 0;
  if (listInMs > 0) return { stages: [], requeueAfterMs: listInMs };
  const writes = writesByRank(state, verdicts);
  const questions = verdicts.flatMap((verdict) => (verdict.type === 'ask' ? [verdict.check] : []));
  const listed = listing ? [...appliedWorkRefused(state, now), [listing]] : [];
  if (writes.length > 0 || questions.length > 0) {
    // The next pass reports the outcome of these actions, because the status is computed from observed state only.
    const stages = [...listed, ...(questions.length > 0 ? [[askPermissions(state.name, questions)]] : []), ...writes];
    const events = driftEvents(state, verdicts);
    return { stages, ...(events.length > 0 ? { events } : {}) };
  }
  // The status patch is skipped while objects are still being read, so that the status is written once. If the applied work needs no write,
  // an error response to an earlier write of it is outdated, so the status does not report it.
  const reported = listing ? state : { ...state, appliedWorkRefusal: undefined };
  const patch = isLooking(state) ? undefined : statusPatch(reported, verdicts, now);
  const released = mayRelease(state, verdicts) ? releases(state.leftovers, state.appliedWork) : [];
  const inspections = dueInspections(state, now);
  const stages = [
    ...listed,
    ...(patch ? [[patchStatus(state, patch)]] : []),
    ...(released.length > 0 ? [released] : []),
    ...(inspections.actions.length > 0 ? [inspections.actions] : []),
  ];
  return { stages, ...retry(verdicts, inspections.inMs) };
}

/** Returns the due inspections of workloads that are not ready, and the time until the next one is due. */
function dueInspections(state: WritableWork, now: Now): { readonly actions: WorkAction[]; readonly inMs: readonly number[] } {
  const actions: WorkAction[] = [];
  const inMs: number[] = [];
  if (!state.work.isRendered) return { actions, inMs };
  const current = currentInspections(state.inspections, state.manifests, now.monotonic);
  for (const manifest of state.manifests) {
    const workload = unreadyWorkload(manifest);
    const inspection = inspectionOf(current, manifest);
    if (!workload || !inspection || !manifest.ref) continue;
    const waitMs = inspectAt(inspection, state.feedback.reasonAfterMs) - now.monotonic;
    if (waitMs <= 0) actions.push(inspectWorkload(state.name, manifest.ref, workload));
    else inMs.push(waitMs);
  }
  return { actions, inMs };
}

/**
 * Reports that the API server rejected the applied work. A work without its applied work may create no objects, and no manifest's condition
 * can report why, so the work's own condition reports it before the next attempt.
 */
function appliedWorkRefused(state: WorkState, now: Now): WorkAction[][] {
  const patch = state.appliedWorkRefusal === undefined ? undefined : appliedWorkRefusedPatch(state.work, state.appliedWorkRefusal, now);
  return patch ? [[patchStatus(state, patch)]] : [];
}

/** Whether the agent must resolve kinds, or add or remove watches, before it decides on the objects. */
function needsTracking({ manifests, leftovers, isTrackingMore }: WorkState, now: Now): boolean {
  return (
    isTrackingMore ||
    leftovers.some(({ isTracked }) => !isTracked) ||
    manifests.some(
      ({ lookup, ref, isTracked }) =>
        lookup.state === 'unknown' || (lookup.state === 'unserved' && lookup.askAgainAt <= now.monotonic) || (ref && !isTracked),
    )
  );
}

/** Returns the writes of the manifests, one stage per rank. A failure does not stop other manifests. */
function writesByRank(state: WritableWork, verdicts: readonly Verdict[]): WorkAction[][] {
  const byRank = new Map<number, WorkAction[]>();
  for (const [index, manifest] of state.manifests.entries()) {
    const verdict = verdicts[index];
    if (verdict?.type !== 'write') continue;
    const rank = rankOf(manifest.manifest.object.kind);
    byRank.set(rank, [...(byRank.get(rank) ?? []), writeManifest(state.name, manifest, verdict)]);
  }
  return [...byRank].sort(([a], [b]) => a - b).map(([, actions]) => actions);
}

function isLooking({ manifests }: WritableWork): boolean {
  return manifests.some(({ ref, live, reading }) => ref && reading === 'allowed' && live.state === 'unknown');
}

/**
 * Whether objects that the work no longer names may be removed. This is the case only after all its manifests are applied, so that a
 * version that cannot be applied removes nothing. Works of a hub that was reinstalled under the same URL have no status, so nothing is
 * removed before they have been applied once.
 */
function mayRelease(state: WritableWork, verdicts: readonly Verdict[]): boolean {
  return wasApplied(state) && verdicts.every(({ type }) => type === 'settled');
}

function retry(verdicts: readonly Verdict[], inMs: readonly number[]): { readonly requeueAfterMs?: number } {
  const requeueAfterMs = earliest(...inMs, ...verdicts.map((verdict) => ('retryInMs' in verdict ? verdict.retryInMs : undefined)));
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/**
 * Removes the owner reference from objects that are kept, deletes the applied work (which removes all other objects), and then removes the
 * finalizer of the work.
 */
function finalize(state: WorkState, now: Now): WorkDecision {
  const { appliedWork, work } = state;
  if (!work.finalizers.includes(MANIFEST_WORK_FINALIZER)) return { stages: [] };
  if (!appliedWork) {
    const others = work.finalizers.filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER);
    return { stages: [[patchFinalizers(state, others)]] };
  }
  const contestedMs = contestedForMs(state, now);
  if (contestedMs > 0) return { stages: [], requeueAfterMs: contestedMs };
  // The agent takes over the applied work of an agent that no longer exists, to clean up its objects.
  if (appliedWork.agentId !== state.agentId)
    return { stages: [[patchAppliedWork(state, appliedWork)].filter((action) => action !== undefined)] };
  const patch = deletingPatch(state, now);
  const report = patch ? [[patchStatus(state, patch)]] : [];
  if (appliedWork.isDeleting) return { stages: report };
  if (state.leftovers.some(({ isTracked }) => !isTracked)) return { stages: [[track(state)]] };
  const orphaned = releases(state.leftovers, appliedWork);
  if (orphaned.length > 0) return { stages: [...report, orphaned] };
  if (state.leftovers.some(({ live }) => live.state === 'unknown' || live.state === 'unreadable')) return { stages: report };
  return { stages: [...report, [deleteAppliedWork(appliedWork)]] };
}
