import { type ManagedClusterAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { type ConditionStatus, findCondition } from '@outrigger/core';

/**
 * The part of an add-on's status that the fleet controller reads, without times. Most add-ons in a fleet have equal reports, and the cache
 * stores equal reports once, so a rule over ten thousand add-ons computes only a few distinct results.
 */
export interface AddOnReport {
  readonly configReferences: NonNullable<ManagedClusterAddOnStatus['configReferences']>;
  readonly installVersion: string;
  /** Whether the add-on has a Configured condition. */
  readonly isConfigured: boolean;
  /** The reason of the Progressing condition. */
  readonly progressing: string | undefined;
  /** Whether the content in use, including the version, is the requested content. */
  readonly isApplied: boolean;
  readonly available: ConditionStatus | undefined;
  /**
   * Whether no health is reported, because the Available condition is absent, no workload reports its status, or the lease of the add-on's
   * agent was not found.
   */
  readonly isUnreported: boolean;
  readonly isDependencyMissing: boolean;
}

const UNREPORTED: ReadonlySet<string | undefined> = new Set(['NoProbeResult', 'ManagedClusterAddOnLeaseNotFound']);

export function reportOf(status: ManagedClusterAddOnStatus): AddOnReport {
  const { conditions, configReferences = [], installVersion = '', currentVersion } = status;
  const available = findCondition(conditions, 'Available');
  const degraded = findCondition(conditions, 'Degraded');
  return {
    configReferences,
    installVersion,
    isConfigured: findCondition(conditions, 'Configured') !== undefined,
    progressing: findCondition(conditions, 'Progressing')?.reason,
    isApplied:
      currentVersion !== UNKNOWN_VERSION &&
      configReferences.every(({ desiredConfig, lastAppliedConfig }) => desiredConfig?.specHash === lastAppliedConfig?.specHash),
    available: available?.status,
    isUnreported: available === undefined || (available.status === 'Unknown' && UNREPORTED.has(available.reason)),
    isDependencyMissing: degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied',
  };
}
