import { AVAILABLE_MESSAGES, type AddOnConditionOf, MANIFEST_APPLIED_MESSAGES } from '@outrigger/api';
import type { WorkProjection } from './work-projection.js';
import { verdictOf, workloadKey } from './feedback.js';
import { isCurrent, isReported } from './report.js';

type Available = AddOnConditionOf<'Available'>;
type ManifestApplied = AddOnConditionOf<'ManifestApplied'>;

const WORK_NOT_APPLIED: Available = {
  type: 'Available',
  status: 'Unknown',
  reason: 'WorkNotApplied',
  message: AVAILABLE_MESSAGES.workNotApplied,
};
const PROBE_REASONS: ReadonlySet<string> = new Set([
  'WorkApplied',
  'WorkNotApplied',
  'WorkNotFound',
  'NoProbeResult',
  'ProbeAvailable',
  'ProbeUnavailable',
]);

/**
 * Computes the Available condition from the feedback on the add-on's workloads. Every probed workload must report and be healthy. The
 * result is undefined if the last result (`reported`) stays valid because the agent has not reported on the newest spec of a work yet.
 */
export function probeCondition(addOnName: string, works: readonly WorkProjection[], reported?: { reason: string }): Available | undefined {
  if (works.length === 0) return { type: 'Available', status: 'Unknown', reason: 'WorkNotFound', message: AVAILABLE_MESSAGES.workNotFound };
  if (works.some((work) => !work.available)) return WORK_NOT_APPLIED;
  if (!works.every(isReported)) return PROBE_REASONS.has(reported?.reason ?? '') ? undefined : WORK_NOT_APPLIED;
  const unavailable = works.find((work) => work.available?.status === 'False')?.available;
  if (unavailable) return { type: 'Available', status: 'False', reason: 'WorkNotApplied', message: unavailable.message };
  const probed = works.flatMap((work) => work.probed);
  if (probed.length === 0) return { type: 'Available', status: 'True', reason: 'WorkApplied', message: AVAILABLE_MESSAGES.workApplied };

  const health = new Map<string, boolean | undefined>();
  for (const verdict of works.flatMap((work) => work.workloads.map((feedback) => verdictOf(feedback)))) {
    if (verdict) health.set(workloadKey(verdict.id), verdict.isHealthy);
  }
  const unhealthy = probed.filter((key) => health.get(key) === false).sort();
  if (unhealthy.length > 0) {
    return {
      type: 'Available',
      status: 'False',
      reason: 'ProbeUnavailable',
      message: AVAILABLE_MESSAGES.probeUnavailable(AVAILABLE_MESSAGES.notReady(unhealthy)),
    };
  }
  if (probed.some((key) => health.get(key) === undefined))
    return { type: 'Available', status: 'Unknown', reason: 'NoProbeResult', message: AVAILABLE_MESSAGES.noProbeResult };
  return { type: 'Available', status: 'True', reason: 'ProbeAvailable', message: AVAILABLE_MESSAGES.available(addOnName) };
}

/** Maximum number of rejected objects that the message names. The works list all of them. */
const MOST_NAMED = 3;

/** Computes ManifestApplied for all works. Undefined while the agent has not reported on the newest spec of one of them. */
export function appliedCondition(works: readonly WorkProjection[]): ManifestApplied | undefined {
  const statuses = works.map((work) => (isCurrent(work, work.applied) ? work.applied.status : undefined));
  if (statuses.includes('False')) {
    const refused = works.flatMap(({ failures }, index) => (statuses[index] === 'False' ? failures : []));
    const named = refused.slice(0, MOST_NAMED).map(({ manifest, message }) => `${manifest}: ${message}`);
    const message = MANIFEST_APPLIED_MESSAGES.appliedFailed(named, refused.length);
    return { type: 'ManifestApplied', status: 'False', reason: 'AddonManifestAppliedFailed', message };
  }
  if (statuses.some((status) => status !== 'True')) return undefined;
  return {
    type: 'ManifestApplied',
    status: 'True',
    reason: 'AddonManifestApplied',
    message: MANIFEST_APPLIED_MESSAGES.applied,
  };
}
