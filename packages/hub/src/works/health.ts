import type { ConditionInput } from '@outrigger/core';
import type { WorkRecord } from '../resources/works.js';
import { verdictOf, workloadKey } from './feedback.js';

/** Available as the add-on's workloads report it: every probed one must report, and be up. */
export function probeCondition(addOnName: string, works: readonly WorkRecord[]): ConditionInput {
  if (works.length === 0) return available('Unknown', 'WorkNotFound', 'Addon manifestWork is not found');
  for (const work of works) {
    if (!work.available) return available('Unknown', 'WorkNotApplied', 'Addon manifestWork is not applied yet');
    if (work.available.status === 'False') return available('False', 'WorkNotApplied', work.available.message);
  }
  const probed = works.flatMap((work) => work.probed);
  if (probed.length === 0) return available('True', 'WorkApplied', 'Addon manifestWork is applied');

  const health = new Map<string, boolean | undefined>();
  for (const feedback of works.flatMap((work) => work.workloads)) health.set(workloadKey(feedback), verdictOf(feedback)?.isHealthy);
  const unhealthy = probed.filter((key) => health.get(key) === false).sort();
  if (unhealthy.length > 0) {
    return available(
      'False',
      'ProbeUnavailable',
      `Probe addon unavailable with err ${unhealthy.map((key) => `${key} is not ready`).join(', ')}`,
    );
  }
  if (probed.some((key) => health.get(key) === undefined)) return available('Unknown', 'NoProbeResult', 'Probe results are not returned');
  return available('True', 'ProbeAvailable', `${addOnName} add-on is available.`);
}

/** ManifestApplied over all works; undefined while the cluster has not said anything about one of them. */
export function appliedCondition(works: readonly WorkRecord[]): ConditionInput | undefined {
  const failed = works.filter((work) => work.applied?.status === 'False');
  if (failed.length > 0) {
    return {
      type: 'ManifestApplied',
      status: 'False',
      reason: 'AddonManifestAppliedFailed',
      message: 'failed to apply the manifests of addon',
    };
  }
  if (works.some((work) => work.applied?.status !== 'True')) return undefined;
  return {
    type: 'ManifestApplied',
    status: 'True',
    reason: 'AddonManifestApplied',
    message: 'manifests of addon are applied successfully',
  };
}

function available(status: ConditionInput['status'], reason: string, message: string): ConditionInput {
  return { type: 'Available', status, reason, message };
}
