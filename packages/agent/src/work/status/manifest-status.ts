import {
  type FeedbackValue,
  MANIFEST_MESSAGES,
  type ManifestCondition,
  type ManifestConditionOutcome,
  NOT_READY_REASON,
  type StatusFeedback,
} from '@outrigger/api';
import { type Condition, deepEqual, findCondition, parseApiVersion } from '@outrigger/core';
import type { Verdict } from '../verdict.js';
import type { FeedbackOptions, ManifestState } from '../state.js';
import { evaluateRules, isRuleReason } from './condition-rules.js';
import { type At, withCondition, withFreshCondition } from './conditions.js';
import { type Feedback, readFeedback } from './feedback.js';

/**
 * Returns the status of one manifest: the current entry, updated with the known state of the object. If the executor may not `get` the
 * object, only the failure to apply it is reported.
 */
export function manifestStatus(
  manifest: ManifestState,
  verdict: Verdict,
  at: At,
  options: FeedbackOptions & { readonly reason?: string | undefined },
): ManifestCondition {
  const { live, treatment, before, reading } = manifest;
  let conditions: readonly Condition[] = before?.conditions ?? [];
  if (reading !== 'allowed') return entry(manifest, withApplied(conditions.filter(isNotRead), verdict, at), undefined);
  let statusFeedback = live.state === 'absent' ? undefined : before?.statusFeedback;
  conditions = withApplied(conditions, verdict, at);
  const available = availability(manifest);
  if (available) conditions = withCondition(conditions, available, at);
  if (live.state === 'present') {
    const feedback = readFeedback(live.object, treatment.feedbackRules, options);
    const values = withReason(feedback.values, options.reason);
    const next = values.length > 0 ? { values } : undefined;
    conditions = withFeedback(
      conditions,
      feedback,
      { hasRules: treatment.feedbackRules.length > 0, isChanged: !deepEqual(next, before?.statusFeedback) },
      at,
    );
    statusFeedback = next;
    conditions = withRules(conditions, manifest, at);
  }
  return entry(manifest, conditions, statusFeedback);
}

/**
 * Returns the values, followed by the reason why the workload is not ready. The reason is omitted if a rule of the work already reports a
 * value with the same name.
 */
function withReason(values: readonly FeedbackValue[], reason: string | undefined): readonly FeedbackValue[] {
  if (reason === undefined || values.some(({ name }) => name === NOT_READY_REASON)) return values;
  return [...values, { name: NOT_READY_REASON, fieldValue: { type: 'String', string: reason } }];
}

/** Whether a condition reveals nothing about the object. Only such conditions are kept if the executor may not `get` the object. */
function isNotRead({ type, reason }: Condition): boolean {
  return type !== 'Available' && type !== 'StatusFeedbackSynced' && !isRuleReason(reason);
}

function entry(manifest: ManifestState, conditions: readonly Condition[], statusFeedback: StatusFeedback | undefined): ManifestCondition {
  return { resourceMeta: resourceMeta(manifest), conditions, ...(statusFeedback ? { statusFeedback } : {}) };
}

export function resourceMeta({
  ordinal,
  manifest,
  ref,
}: Pick<ManifestState, 'ordinal' | 'manifest' | 'ref'>): ManifestCondition['resourceMeta'] {
  const { apiVersion, kind, metadata } = manifest.object;
  const { group, version } = parseApiVersion(apiVersion);
  const namespace = ref ? ref.namespace : (metadata.namespace ?? '');
  return { ordinal, group, version, kind, resource: ref?.kind.plural ?? '', name: metadata.name ?? '', namespace };
}

/** Sets the Applied condition. It is replaced for each generation, so that its time is when the generation was applied. */
function withApplied(conditions: readonly Condition[], verdict: Verdict, at: At): readonly Condition[] {
  const outcome = appliedOutcome(verdict);
  if (!outcome) return conditions;
  const isNewGeneration = findCondition(conditions, 'Applied')?.observedGeneration !== at.generation;
  return isNewGeneration ? withFreshCondition(conditions, outcome, at) : withCondition(conditions, outcome, at);
}

function appliedOutcome(verdict: Verdict): ManifestConditionOutcome | undefined {
  if (verdict.type === 'settled') {
    return { type: 'Applied', status: 'True', reason: 'AppliedManifestComplete', message: MANIFEST_MESSAGES.applied };
  }
  if (verdict.type !== 'failed') return undefined;
  const { reason, message } = verdict;
  const text = reason === 'AppliedManifestFailed' ? MANIFEST_MESSAGES.applyFailed(message) : MANIFEST_MESSAGES.ignoreFieldsFailed(message);
  return { type: 'Applied', status: 'False', reason, message: text };
}

/** Returns the availability of the object, or undefined while the object has not been read, so that the earlier condition stays. */
function availability({ lookup, live }: ManifestState): ManifestConditionOutcome | undefined {
  if (lookup.state === 'unserved') {
    return { type: 'Available', status: 'Unknown', reason: 'IncompleteResourceMeta', message: MANIFEST_MESSAGES.incompleteMeta };
  }
  switch (live.state) {
    case 'present':
      return { type: 'Available', status: 'True', reason: 'ResourceAvailable', message: MANIFEST_MESSAGES.available };
    case 'absent':
      return { type: 'Available', status: 'False', reason: 'ResourceNotAvailable', message: MANIFEST_MESSAGES.notAvailable };
    case 'unreadable':
      return { type: 'Available', status: 'Unknown', reason: 'FetchingResourceFailed', message: MANIFEST_MESSAGES.fetchFailed(live.error) };
    case 'unknown':
      return undefined;
  }
}

/** Sets the feedback condition. It is replaced whenever the values change, so that its time is when they were read. */
function withFeedback(
  conditions: readonly Condition[],
  { errors }: Feedback,
  { hasRules, isChanged }: { readonly hasRules: boolean; readonly isChanged: boolean },
  at: At,
): readonly Condition[] {
  const outcome = feedbackOutcome(errors, hasRules);
  return isChanged ? withFreshCondition(conditions, outcome, at) : withCondition(conditions, outcome, at);
}

function feedbackOutcome(errors: readonly string[], hasRules: boolean): ManifestConditionOutcome {
  if (errors.length > 0) {
    const message = MANIFEST_MESSAGES.feedbackFailed(errors.join('; '));
    return { type: 'StatusFeedbackSynced', status: 'False', reason: 'StatusFeedbackSyncFailed', message };
  }
  return {
    type: 'StatusFeedbackSynced',
    status: 'True',
    reason: hasRules ? 'StatusFeedbackSynced' : 'NoStatusFeedbackSynced',
    message: '',
  };
}

/** Sets the conditions that the rules compute now, and removes conditions with a rule's reason that no rule computes any more. */
function withRules(conditions: readonly Condition[], { live, treatment }: ManifestState, at: At): readonly Condition[] {
  if (live.state !== 'present') return conditions;
  const evaluated = evaluateRules(live.object, treatment.conditionRules);
  const next = evaluated.reduce((list, outcome) => withCondition(list, outcome, at), conditions);
  return next.filter(({ type, reason }) => !isRuleReason(reason) || evaluated.some((outcome) => outcome.type === type));
}
