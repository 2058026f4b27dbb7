import { AVAILABLE_MESSAGES, type AddOnConditionOf, MANIFEST_APPLIED_MESSAGES } from '@outrigger/api';
import type { Condition } from '@outrigger/core';
import { type ClusterProjection, isUnreachable } from '@outrigger/rules/observed';
import { appliedCondition, probeCondition, type WorkProjection } from '@outrigger/rules/works';
import type { WorksPlan } from '@outrigger/rules/plan';
import type { ConditionChange } from './status.js';

type Available = AddOnConditionOf<'Available'>;
type ManifestApplied = AddOnConditionOf<'ManifestApplied'>;
type ConditionText = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The Available condition of every add-on on an unreachable cluster: Unknown, whatever the add-on's health mode. */
export function unreachableCondition(cluster: ClusterProjection): Available | undefined {
  if (!cluster.available || !isUnreachable(cluster)) return undefined;
  const { reason, message } = cluster.available;
  return { type: 'Available', status: 'Unknown', reason, message };
}

const NOTHING_TO_RUN: Available = { type: 'Available', status: 'True', reason: 'WorkApplied', message: AVAILABLE_MESSAGES.workApplied };

/**
 * Computes the Available condition of an add-on that the hub probes. An unreachable cluster takes precedence over a missing dependency, and
 * a missing dependency over the workloads. Returns undefined if the condition (`existing`) does not change.
 */
export function availableCondition(
  addOnName: string,
  cluster: ClusterProjection,
  { degraded, existing }: { readonly degraded: ConditionText | undefined; readonly existing: ConditionText | undefined },
  plan: WorksPlan,
  works: readonly WorkProjection[],
): Available | undefined {
  const unreachable = unreachableCondition(cluster);
  if (unreachable) return unreachable;
  if (degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied') {
    return { type: 'Available', status: 'False', reason: degraded.reason, message: degraded.message };
  }
  const isNothingToRun = plan.type === 'current' && works.length === 0;
  return isNothingToRun ? NOTHING_TO_RUN : probeCondition(addOnName, works, existing);
}

/**
 * Computes the ManifestApplied condition: the reason why the works could not be written, or otherwise the agent's report about the works.
 * Removes the condition when the reported failure is resolved.
 */
export function manifestAppliedCondition(
  plan: WorksPlan,
  works: readonly WorkProjection[],
  refusal: string | undefined,
  existing: ConditionText | undefined,
): ConditionChange | undefined {
  const broken = (message: string): ManifestApplied => ({
    type: 'ManifestApplied',
    status: 'False',
    reason: 'ManifestWorkApplyFailed',
    message,
  });
  if (plan.type === 'problem') return broken(MANIFEST_APPLIED_MESSAGES.renderFailed(plan.message));
  if (refusal !== undefined) return broken(MANIFEST_APPLIED_MESSAGES.applyFailed(refusal));
  if (works.length > 0) {
    const isStale = plan.type !== 'hold' && existing?.status === 'False';
    return appliedCondition(works) ?? (isStale ? { type: 'ManifestApplied', remove: true } : undefined);
  }
  if (plan.type !== 'current') return undefined;
  return { type: 'ManifestApplied', status: 'True', reason: 'AddonManifestApplied', message: MANIFEST_APPLIED_MESSAGES.nothingToApply };
}
