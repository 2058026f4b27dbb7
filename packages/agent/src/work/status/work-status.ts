import {
  CONDITION_RULES_AGGREGATED,
  type ManifestCondition,
  type ManifestWorkStatus,
  WORK_MESSAGES,
  type WorkCondition,
} from '@outrigger/api';
import {
  type Condition,
  type ConditionInput,
  type JsonObject,
  conditionStatus,
  createMergePatch,
  findCondition,
  removeCondition,
} from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { WorkProjection } from '../../resources/works.js';
import type { Verdict } from '../verdict.js';
import { inspectionOf, unreadyWorkload } from '../inspection/inspection.js';
import type { ManifestState, WorkState } from '../state.js';
import { isRuleReason } from './condition-rules.js';
import { type At, withCondition } from './conditions.js';
import { manifestStatus } from './manifest-status.js';
import { withinLimit } from './status-limit.js';

/** The part of a work's state that its status reports. */
export type ReportedWork = Pick<
  WorkState,
  'work' | 'manifests' | 'feedback' | 'inspections' | 'appliedWorkRefusal' | 'leftovers' | 'releaseProblems'
>;

/** Returns the merge patch that updates a work's status to the state on the cluster, or undefined if nothing changed. */
export function statusPatch(state: ReportedWork, verdicts: readonly Verdict[], now: Now): JsonObject | undefined {
  const { work } = state;
  const at = { generation: work.generation, now: now.time };
  const manifests = withinLimit(
    state.manifests.map((manifest, index) =>
      manifestStatus(manifest, verdicts[index] ?? { type: 'waiting' }, at, { ...state.feedback, reason: reasonOf(state, manifest) }),
    ),
    state.manifests.map(({ before }) => before),
    at,
  );
  let conditions: readonly Condition[] = work.status.conditions ?? [];
  const applied =
    state.appliedWorkRefusal === undefined ? appliedOf(manifests, work.generation) : appliedWorkRefused(state.appliedWorkRefusal);
  if (applied) conditions = withCondition(conditions, applied, at);
  // Available is reported only together with Applied.
  if (findCondition(conditions, 'Applied')) {
    conditions = withCondition(conditions, availableOf(manifests), at);
    conditions = withAggregates(conditions, manifests, at);
    conditions = withReleased(conditions, state, at);
  }
  return patchOf(work, { ...work.status, conditions, resourceStatus: { manifests } });
}

/** Returns the reason why a workload is not ready, if an inspection found one and the workload is still not ready. */
function reasonOf({ inspections }: ReportedWork, manifest: ManifestState): string | undefined {
  return unreadyWorkload(manifest) ? inspectionOf(inspections, manifest)?.reason : undefined;
}

/**
 * Returns a patch that reports that the work is being deleted and what blocks the deletion, or undefined if the status already reports
 * this.
 */
export function deletingPatch(state: WorkState, now: Now): JsonObject | undefined {
  const { work } = state;
  const deleting: WorkCondition = { type: 'Deleting', status: 'True', reason: 'WorkDeleting', message: WORK_MESSAGES.deleting };
  const at = { generation: work.generation, now: now.time };
  const conditions = withReleased(withCondition(work.status.conditions ?? [], deleting, at), state, at);
  return patchOf(work, { ...work.status, conditions });
}

/** Returns a patch that reports that nothing can be applied because the applied work is rejected. */
export function appliedWorkRefusedPatch(work: WorkProjection, error: string, now: Now): JsonObject | undefined {
  const at = { generation: work.generation, now: now.time };
  return patchOf(work, { ...work.status, conditions: withCondition(work.status.conditions ?? [], appliedWorkRefused(error), at) });
}

function appliedWorkRefused(error: string): WorkCondition {
  return { type: 'Applied', status: 'False', reason: 'AppliedManifestWorkFailed', message: WORK_MESSAGES.recordRefused(error) };
}

/**
 * Sets ResourcesReleased to False while objects cannot be removed. Removes the condition only when there are no leftovers, because a
 * restarted process does not know earlier attempts.
 */
function withReleased(conditions: readonly Condition[], { releaseProblems, leftovers, work }: ReportedWork, at: At): readonly Condition[] {
  const type = 'ResourcesReleased';
  if (releaseProblems.length > 0) {
    const message = WORK_MESSAGES.releaseFailed(releaseProblems);
    return withCondition(conditions, { type, status: 'False', reason: 'ReleaseFailed', message } satisfies WorkCondition, at);
  }
  return leftovers.length === 0 && !work.isDeleting ? removeCondition(conditions, type) : conditions;
}

function patchOf({ status }: WorkProjection, next: ManifestWorkStatus): JsonObject | undefined {
  const patch = createMergePatch(status, next) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * Returns the Applied condition for all manifests, or undefined while none has failed and at least one has not been tried in this
 * generation.
 */
function appliedOf(manifests: readonly ManifestCondition[], generation: number): WorkCondition | undefined {
  const tried = manifests.filter(({ conditions }) => findCondition(conditions, 'Applied')?.observedGeneration === generation);
  const refused = tried.filter(({ conditions }) => conditionStatus(conditions, 'Applied') === 'False');
  if (refused.length > 0) {
    const message = WORK_MESSAGES.applyFailed(refused.slice(0, MOST_NAMED).map(nameOf), refused.length);
    return { type: 'Applied', status: 'False', reason: 'AppliedManifestWorkFailed', message };
  }
  if (tried.length < manifests.length) return undefined;
  return { type: 'Applied', status: 'True', reason: 'AppliedManifestWorkComplete', message: WORK_MESSAGES.applied };
}

/** The maximum number of failed manifests that the work's condition names. Each manifest's own condition has the reason. */
const MOST_NAMED = 3;

function nameOf({ resourceMeta: { kind = '', namespace = '', name = '' } }: ManifestCondition): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/** Returns the Available condition for all manifests. False takes precedence over Unknown, and Unknown over True. */
function availableOf(manifests: readonly ManifestCondition[]): WorkCondition {
  const statuses = manifests.map(({ conditions }) => conditionStatus(conditions, 'Available'));
  const count = (status: string): number => statuses.filter((candidate) => candidate === status).length;
  const total = manifests.length;
  if (count('False') > 0) {
    const message = WORK_MESSAGES.notAvailable(count('False'), total);
    return { type: 'Available', status: 'False', reason: 'ResourcesNotAvailable', message };
  }
  if (total > 0 && count('True') === total) {
    return { type: 'Available', status: 'True', reason: 'ResourcesAvailable', message: WORK_MESSAGES.available };
  }
  const isAnyKnown = statuses.some((status) => status !== undefined);
  const message = isAnyKnown ? WORK_MESSAGES.unknown(total - count('True'), total) : WORK_MESSAGES.nothingAvailable;
  return { type: 'Available', status: 'Unknown', reason: 'ResourcesStatusUnknown', message };
}

/**
 * Sets one condition of the work for every condition type that rules set on its manifests, and removes those that no rule sets any more.
 */
function withAggregates(conditions: readonly Condition[], manifests: readonly ManifestCondition[], at: At): readonly Condition[] {
  const byType = new Map<string, Condition[]>();
  for (const condition of manifests.flatMap((manifest) => manifest.conditions)) {
    if (isRuleReason(condition.reason)) byType.set(condition.type, [...(byType.get(condition.type) ?? []), condition]);
  }
  const aggregates = [...byType].map(([type, parts]) => aggregate(type, parts));
  const next = aggregates.reduce((list, outcome) => withCondition(list, outcome, at), conditions);
  return next.filter(({ type, reason }) => reason !== CONDITION_RULES_AGGREGATED || byType.has(type));
}

const WORST_FIRST = ['False', 'Unknown', 'True'] as const;
/** The precedence for Progressing: the work is progressing while at least one of its manifests is. */
const PROGRESSING_FIRST = ['True', 'Unknown', 'False'] as const;

function aggregate(type: string, parts: readonly Condition[]): ConditionInput {
  const order = type === 'Progressing' ? PROGRESSING_FIRST : WORST_FIRST;
  const status = order.find((candidate) => parts.some((part) => part.status === candidate)) ?? 'Unknown';
  const [only, ...others] = parts;
  const message = only && others.length === 0 ? only.message : WORK_MESSAGES.aggregated(parts.length);
  return { type, status, reason: CONDITION_RULES_AGGREGATED, message };
}
