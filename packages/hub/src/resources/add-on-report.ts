import { type ManagedClusterAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { type ConditionStatus, findCondition } from '@outrigger/core';

/**
 * What an add-on tells the fleet about itself, without the times: most add-ons of a fleet tell the same, and the cache keeps equal reports
 * once, so that a rule over ten thousand of them works on a handful.
 */
export interface AddOnReport {
  readonly configReferences: NonNullable<ManagedClusterAddOnStatus['configReferences']>;
  readonly installVersion: string;
  /** Somebody has looked at its configurations. */
  readonly isConfigured: boolean;
  /** The reason of Progressing. */
  readonly progressing: string | undefined;
  /** The content in use is the content asked for, version and all. */
  readonly isApplied: boolean;
  readonly available: ConditionStatus | undefined;
  /** There is nobody to tell how it is: none of its workloads reports anything, or its agent has never been heard of. */
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
