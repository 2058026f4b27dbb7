import { UNKNOWN_VERSION } from '@outrigger/api';
import { compareVersions } from '@outrigger/core';

/** The three version fields of a ManagedClusterAddOn's status. */
export interface VersionStatus {
  readonly lastVersion: string;
  /** The version on which the manager last acted. */
  readonly installVersion: string;
  readonly currentVersion: string;
}

/**
 * Advances the version fields of the status to the version that the hub is acting on. If the old version was neither installed nor
 * supported, lastVersion becomes `unknown`, so that the next move counts as an installation. Without a desired version the fields stay
 * unchanged, unless they name a version that was never installed and is not supported; the fields are then cleared.
 */
export function advanceVersions(status: VersionStatus, desired: string, supported: readonly string[], isDone: boolean): VersionStatus {
  if (desired === '') {
    const isInvalid = status.currentVersion === UNKNOWN_VERSION && !supported.includes(status.installVersion);
    return isInvalid ? NO_VERSIONS : status;
  }
  const moved = status.installVersion === desired ? status : moveTo(status, desired, supported);
  return { ...moved, currentVersion: isDone ? desired : moved === status ? status.currentVersion : UNKNOWN_VERSION };
}

const NO_VERSIONS: VersionStatus = { lastVersion: '', installVersion: '', currentVersion: '' };

function moveTo(status: VersionStatus, desired: string, supported: readonly string[]): VersionStatus {
  const old = status.installVersion;
  const isReal = old === '' || old === status.currentVersion || supported.includes(old);
  return { lastVersion: isReal ? old : UNKNOWN_VERSION, installVersion: desired, currentVersion: UNKNOWN_VERSION };
}

export type Direction = 'Installing' | 'Upgrading' | 'Rollingback';

/**
 * Returns whether a move to another version is an installation, an upgrade or a rollback. If the versions cannot be compared, the move
 * counts as an upgrade.
 */
export function directionOf(lastVersion: string, desired: string, supported: readonly string[]): Direction {
  if (lastVersion === '' || lastVersion === UNKNOWN_VERSION) return 'Installing';
  return (compareVersions(lastVersion, desired, supported) ?? 0) > 0 ? 'Rollingback' : 'Upgrading';
}
