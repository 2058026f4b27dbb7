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
  readonly isDependencyMissing: boolean;
}

export function reportOf(status: ManagedClusterAddOnStatus): AddOnReport {
  const { conditions, configReferences = [], installVersion = '', currentVersion } = status;
  const degraded = findCondition(conditions, 'Degraded');
  return {
    configReferences,
    installVersion,
    isConfigured: findCondition(conditions, 'Configured') !== undefined,
    progressing: findCondition(conditions, 'Progressing')?.reason,
    isApplied:
      currentVersion !== UNKNOWN_VERSION &&
      configReferences.every(({ desiredConfig, lastAppliedConfig }) => desiredConfig?.specHash === lastAppliedConfig?.specHash),
    available: findCondition(conditions, 'Available')?.status,
    isDependencyMissing: degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied',
  };
}
