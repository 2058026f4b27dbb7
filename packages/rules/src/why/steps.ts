import { type ClusterManagementAddOn, type ManagedClusterAddOn, type ManifestWork, shell } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type Link, stop } from '../explanation/chain.js';
import { manifestHint, refusedManifests, unreadyWorkloads } from './reports.js';
import { nameOf } from './snapshot.js';

/** The first condition, in the order of the steps, that reports a failure, and after it the objects that cause the failure. */
export function brokenSteps(
  addOn: ClusterManagementAddOn,
  installed: ManagedClusterAddOn,
  works: readonly ManifestWork[],
): readonly Link[] {
  const name = nameOf(addOn);
  const cluster = installed.metadata.namespace ?? '';
  const conditions = installed.status?.conditions;
  const configured = findCondition(conditions, 'Configured');
  if (configured?.status === 'False' && configured.reason !== 'ConfigurationsNotConfigured')
    return [stop(`Configured is False (${configured.reason}): ${configured.message}`, 'create or correct the configuration it names')];
  const progressing = findCondition(conditions, 'Progressing');
  const refused = refusedManifests(works, name, cluster);
  if (progressing?.reason === 'Failed') {
    const own = stop(`Progressing is False (Failed): ${progressing.message}`, failedHint(progressing.message, addOn, cluster));
    if (refused.length > 0) return [own, ...refused];
    const stuck = /exceeded its progress deadline/.test(progressing.message)
      ? unreadyWorkloads(works, cluster, progressing.lastTransitionTime)
      : [];
    return [own, ...stuck];
  }
  const registration = findCondition(conditions, 'RegistrationApplied');
  if (registration?.status === 'False' && registration.reason === 'SetPermissionFailed')
    return [stop(`RegistrationApplied is False: ${registration.message}`)];
  const applied = findCondition(conditions, 'ManifestApplied');
  if (applied?.status !== 'False') return refused;
  return [
    stop(
      `ManifestApplied is False (${applied.reason}) since ${applied.lastTransitionTime}: ${applied.message}`,
      manifestHint(applied.message, name, cluster),
    ),
    ...refused,
  ];
}

/** The advice about a failed move on this cluster. Commands concern this cluster only: other clusters may not have the problem. */
function failedHint(message: string, addOn: ClusterManagementAddOn, cluster: string): string {
  if (/invalid version/.test(message)) return versionHint(addOn, cluster);
  if (/variable/.test(message))
    return `define it in the customizedVariables of an AddOnDeploymentConfig; \`outrigger lint\` finds such gaps before a cluster does`;
  return manifestHint(message, nameOf(addOn), cluster);
}

/** Offers a version that exists, for this cluster only: another cluster may not have the problem. */
function versionHint(addOn: ClusterManagementAddOn, cluster: string): string {
  const name = nameOf(addOn);
  const versions = addOn.status?.supportedVersions ?? [];
  const offered = addOn.status?.defaultVersion || versions.at(-1);
  if (!offered) return `create an AddOnTemplate of that version for ${name}`;
  return `${shell`outrigger upgrade ${name} --cluster ${cluster} --to ${offered}`} (versions: ${versions.join(', ') || offered})`;
}
