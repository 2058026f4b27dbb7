import { AVAILABLE_MESSAGES, type AddOnCondition, MANIFEST_APPLIED_MESSAGES } from '@outrigger/api';
import type { WorkRecord } from '../resources/works.js';
import { verdictOf, workloadKey } from './feedback.js';

type Available = Extract<AddOnCondition, { type: 'Available' }>;
type ManifestApplied = Extract<AddOnCondition, { type: 'ManifestApplied' }>;

/** Available as the add-on's workloads report it: every probed one must report, and be up. */
export function probeCondition(addOnName: string, works: readonly WorkRecord[]): Available {
  if (works.length === 0) return { type: 'Available', status: 'Unknown', reason: 'WorkNotFound', message: AVAILABLE_MESSAGES.workNotFound };
  for (const work of works) {
    if (!work.available)
      return { type: 'Available', status: 'Unknown', reason: 'WorkNotApplied', message: AVAILABLE_MESSAGES.workNotApplied };
    if (work.available.status === 'False')
      return { type: 'Available', status: 'False', reason: 'WorkNotApplied', message: work.available.message };
  }
  const probed = works.flatMap((work) => work.probed);
  if (probed.length === 0) return { type: 'Available', status: 'True', reason: 'WorkApplied', message: AVAILABLE_MESSAGES.workApplied };

  const health = new Map<string, boolean | undefined>();
  for (const feedback of works.flatMap((work) => work.workloads)) health.set(workloadKey(feedback), verdictOf(feedback)?.isHealthy);
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

/** ManifestApplied over all works; undefined while the cluster has not said anything about one of them. */
export function appliedCondition(works: readonly WorkRecord[]): ManifestApplied | undefined {
  const failed = works.filter((work) => work.applied?.status === 'False');
  if (failed.length > 0) {
    return {
      type: 'ManifestApplied',
      status: 'False',
      reason: 'AddonManifestAppliedFailed',
      message: MANIFEST_APPLIED_MESSAGES.appliedFailed,
    };
  }
  if (works.some((work) => work.applied?.status !== 'True')) return undefined;
  return {
    type: 'ManifestApplied',
    status: 'True',
    reason: 'AddonManifestApplied',
    message: MANIFEST_APPLIED_MESSAGES.applied,
  };
}
