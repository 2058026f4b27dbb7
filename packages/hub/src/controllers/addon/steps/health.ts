import { type AddOnCondition, MANIFEST_APPLIED_MESSAGES } from '@outrigger/api';
import type { Condition } from '@outrigger/core';
import { type ClusterRecord, isUnreachable } from '../../../resources/clusters.js';
import type { WorkRecord } from '../../../resources/works.js';
import { appliedCondition, probeCondition } from '../../../works/health.js';
import type { WorksPlan } from './plan-works.js';

type Available = Extract<AddOnCondition, { type: 'Available' }>;
type Degraded = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Who decides Available besides the workloads: an unreachable cluster before a missing dependency before the probe. */
export function availableCondition(
  addOnName: string,
  cluster: ClusterRecord | undefined,
  degraded: Degraded | undefined,
  works: readonly WorkRecord[],
): Available {
  if (cluster?.available && isUnreachable(cluster)) {
    const { reason, message } = cluster.available;
    return { type: 'Available', status: 'Unknown', reason, message };
  }
  if (degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied') {
    return { type: 'Available', status: 'False', reason: degraded.reason, message: degraded.message };
  }
  return probeCondition(addOnName, works);
}

/** ManifestApplied: what stopped the works from being written, else what the cluster says of them. */
export function manifestAppliedCondition(
  plan: WorksPlan,
  works: readonly WorkRecord[],
  refusal: string | undefined,
): Extract<AddOnCondition, { type: 'ManifestApplied' }> | undefined {
  const broken = (message: string): Extract<AddOnCondition, { type: 'ManifestApplied' }> => ({
    type: 'ManifestApplied',
    status: 'False',
    reason: 'ManifestWorkApplyFailed',
    message,
  });
  if (plan.type === 'problem') return broken(MANIFEST_APPLIED_MESSAGES.renderFailed(plan.message));
  if (refusal !== undefined) return broken(MANIFEST_APPLIED_MESSAGES.applyFailed(refusal));
  if (works.length > 0) return appliedCondition(works);
  if (plan.type !== 'write' || plan.works.length > 0) return undefined;
  return { type: 'ManifestApplied', status: 'True', reason: 'AddonManifestApplied', message: MANIFEST_APPLIED_MESSAGES.nothingToApply };
}
