import { type ManagedClusterAddOn, UNKNOWN_VERSION } from '@outrigger/api';

/**
 * Formats the version on a cluster. During a move, and after a failed move, it shows both versions (`v1 → v2`), or `→ v1` for a first
 * installation.
 */
export function versionText({ status }: ManagedClusterAddOn): string {
  const { currentVersion = '', lastVersion = '', installVersion = '' } = status ?? {};
  if (currentVersion !== UNKNOWN_VERSION) return currentVersion;
  const from = lastVersion === UNKNOWN_VERSION || lastVersion === '' ? '' : `${lastVersion} `;
  return `${from}→ ${installVersion === '' ? '?' : installVersion}`;
}

const NAMED_VERSIONS = 3;

/** Formats the versions of an add-on on all clusters, without duplicates. These are the running versions, whatever the declaration says. */
export function fleetVersions(installed: readonly ManagedClusterAddOn[]): string {
  const found = [...new Set(installed.map(versionText))]
    .filter((text) => text !== '')
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const more = found.length > NAMED_VERSIONS ? `, and ${found.length - NAMED_VERSIONS} more` : '';
  return `${found.slice(0, NAMED_VERSIONS).join(', ')}${more}`;
}
