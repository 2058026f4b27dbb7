import {
  MANIFEST_MESSAGES,
  type ManifestCondition,
  type ManifestConditionOutcome,
  type ManifestWorkStatus,
  WORK_MESSAGES,
  type WorkCondition,
} from '@outrigger/api';
import { type Condition, type JsonObject, conditionStatus, createMergePatch, parseApiVersion, setCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { readFeedback } from './feedback.js';
import { matches } from './matches.js';
import type { ManifestState, WorkState } from './state.js';

/** The merge patch that brings a work's status up to what is seen on the cluster; undefined if it says so already. */
export function statusPatch(state: WorkState, now: Now): JsonObject | undefined {
  const { work } = state;
  if (!work) return undefined;
  const before = work.status.resourceStatus?.manifests ?? [];
  const manifests = state.manifests.map((manifest) => manifestCondition(manifest, before[manifest.ordinal], state, now));
  const at = { generation: work.generation, now: now.time };
  let conditions: readonly Condition[] = work.status.conditions ?? [];
  const applied = appliedOf(manifests);
  if (applied) conditions = setCondition(conditions, applied, at);
  if (applied) conditions = setCondition(conditions, availableOf(manifests), at);
  const next: ManifestWorkStatus = { ...work.status, conditions, resourceStatus: { manifests } };
  const patch = createMergePatch(work.status as unknown as JsonObject, next as unknown as JsonObject) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function manifestCondition(state: ManifestState, before: ManifestCondition | undefined, work: WorkState, now: Now): ManifestCondition {
  const { manifest, ref } = state;
  const { group, version } = parseApiVersion(manifest.apiVersion);
  const { name = '', namespace } = manifest.metadata;
  const resourceMeta = {
    ordinal: state.ordinal,
    group,
    version,
    kind: manifest.kind,
    resource: ref?.kind.plural ?? '',
    name,
    namespace: ref && !ref.kind.namespaced ? '' : (namespace ?? ''),
  };
  const isSame =
    before !== undefined &&
    before.resourceMeta.kind === manifest.kind &&
    before.resourceMeta.name === name &&
    before.resourceMeta.namespace === resourceMeta.namespace;
  const at = { generation: work.work?.generation ?? 0, now: now.time };
  let conditions: readonly Condition[] = isSame ? before.conditions : [];
  for (const outcome of outcomes(state, work)) conditions = setCondition(conditions, outcome, at);
  const feedback = state.live.state === 'present' ? readFeedback(state.live.object, state.config.feedbackRules ?? []) : undefined;
  if (feedback) conditions = setCondition(conditions, feedbackOutcome(state, feedback.errors), at);
  return { resourceMeta, conditions, ...(feedback && feedback.values.length > 0 ? { statusFeedback: { values: feedback.values } } : {}) };
}

/** What was seen of the object; while nobody has looked, what was said before stays. */
function outcomes({ ordinal, manifest, ref, live }: ManifestState, { outcomes: passes }: WorkState): ManifestConditionOutcome[] {
  const refusal = passes.refusal(applyId(ordinal));
  if (!ref) return [notApplied(`the server doesn't have a resource type "${manifest.kind}"`)];
  const list: ManifestConditionOutcome[] = [];
  if (refusal) list.push(notApplied(refusal.message));
  else if (live.state === 'present' && matches(manifest, live.object)) {
    list.push({ type: 'Applied', status: 'True', reason: 'AppliedManifestComplete', message: MANIFEST_MESSAGES.applied });
  }
  if (live.state === 'present')
    list.push({ type: 'Available', status: 'True', reason: 'ResourceAvailable', message: MANIFEST_MESSAGES.available });
  if (live.state === 'absent') {
    list.push({ type: 'Available', status: 'False', reason: 'ResourceNotAvailable', message: MANIFEST_MESSAGES.notAvailable });
  }
  return list;
}

function notApplied(error: string): ManifestConditionOutcome {
  return { type: 'Applied', status: 'False', reason: 'AppliedManifestFailed', message: MANIFEST_MESSAGES.applyFailed(error) };
}

function feedbackOutcome({ config }: ManifestState, errors: readonly string[]): ManifestConditionOutcome {
  if (errors.length > 0) {
    const message = MANIFEST_MESSAGES.feedbackFailed(errors.join('; '));
    return { type: 'StatusFeedbackSynced', status: 'False', reason: 'StatusFeedbackSyncFailed', message };
  }
  const reason = (config.feedbackRules ?? []).length === 0 ? 'NoStatusFeedbackSynced' : 'StatusFeedbackSynced';
  return { type: 'StatusFeedbackSynced', status: 'True', reason, message: '' };
}

/** Applied over all manifests; undefined while one of them has not been tried. */
function appliedOf(manifests: readonly ManifestCondition[]): WorkCondition | undefined {
  const statuses = manifests.map(({ conditions }) => conditionStatus(conditions, 'Applied'));
  if (statuses.includes('False'))
    return { type: 'Applied', status: 'False', reason: 'AppliedManifestWorkFailed', message: WORK_MESSAGES.applyFailed };
  if (statuses.some((status) => status !== 'True')) return undefined;
  return { type: 'Applied', status: 'True', reason: 'AppliedManifestWorkComplete', message: WORK_MESSAGES.applied };
}

function availableOf(manifests: readonly ManifestCondition[]): WorkCondition {
  const statuses = manifests.map(({ conditions }) => conditionStatus(conditions, 'Available'));
  const count = (status: string): number => statuses.filter((candidate) => candidate === status).length;
  const total = manifests.length;
  if (count('False') > 0) {
    return {
      type: 'Available',
      status: 'False',
      reason: 'ResourcesNotAvailable',
      message: WORK_MESSAGES.notAvailable(count('False'), total),
    };
  }
  if (count('True') === total) return { type: 'Available', status: 'True', reason: 'ResourcesAvailable', message: WORK_MESSAGES.available };
  const message = count('True') === 0 ? WORK_MESSAGES.nothingAvailable : WORK_MESSAGES.unknown(total - count('True'), total);
  return { type: 'Available', status: 'Unknown', reason: 'ResourcesStatusUnknown', message };
}

export function applyId(ordinal: number): string {
  return `manifest/${ordinal}`;
}
