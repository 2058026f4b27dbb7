import { type ClusterManagementAddOn, type ManagedClusterAddOn, type ManifestWork } from '@outrigger/api';
import { findCondition, shell, nameOf } from '@outrigger/core';
import { type Link, stop } from '../explanation/chain.js';
import { manifestHint, refusedManifests, unreadyWorkloads } from './reports.js';
import { brokenStep } from './step.js';

/** Explains the first condition that reports a failure, in the order of the steps, and then the objects that cause the failure. */
export function brokenSteps(
  managementAddOn: ClusterManagementAddOn,
  installed: ManagedClusterAddOn,
  works: readonly ManifestWork[],
): readonly Link[] {
  const name = nameOf(managementAddOn);
  const cluster = installed.metadata.namespace ?? '';
  const refused = refusedManifests(works, name, cluster);
  const broken = brokenStep((type) => findCondition(installed.status?.conditions, type));
  if (!broken) return refused;
  const { reason, message, lastTransitionTime } = broken.found;
  switch (broken.condition) {
    case 'Configured':
      return [stop(`Configured is False (${reason}): ${message}`, configHint(message, managementAddOn, installed))];
    case 'Progressing': {
      const own = stop(`Progressing is False (Failed): ${message}`, failedHint(message, managementAddOn, cluster));
      if (refused.length > 0) return [own, ...refused];
      const isStuck = /exceeded its progress deadline/.test(message);
      return [own, ...(isStuck ? unreadyWorkloads(works, cluster, lastTransitionTime) : [])];
    }
    case 'RegistrationApplied':
      return [stop(`RegistrationApplied is False: ${message}`)];
    case 'ManifestApplied':
      return [
        stop(`ManifestApplied is False (${reason}) since ${lastTransitionTime}: ${message}`, manifestHint(message, name, cluster)),
        ...refused,
      ];
  }
}

/** Suggests how to fix a reference to a config, with the command that edits the object which contains the reference. */
function configHint(message: string, managementAddOn: ClusterManagementAddOn, { metadata, spec }: ManagedClusterAddOn): string {
  const name = nameOf(managementAddOn);
  const [, reference] = /Configuration (\S+) is not found/.exec(message) ?? [];
  if (reference === undefined) return 'create or correct the configuration it names';
  const isOwn = (spec?.configs ?? []).some((one) => [one.resource, one.namespace, one.name].filter(Boolean).join('/') === reference);
  const edit = isOwn
    ? shell`kubectl edit managedclusteraddon ${name} -n ${metadata.namespace ?? ''}`
    : shell`kubectl edit clustermanagementaddon ${name}`;
  return `create ${reference}, or correct the reference: ${edit}`;
}

/** Suggests how to fix a failed move. The suggested commands affect only this cluster, because other clusters may not have the problem. */
function failedHint(message: string, managementAddOn: ClusterManagementAddOn, cluster: string): string {
  const [, resource, namespace, workload] = /^(\S+) ([^/\s]+)\/(\S+) exceeded its progress deadline/.exec(message) ?? [];
  if (resource !== undefined) return `on ${cluster}: ${shell`kubectl describe ${resource} ${workload ?? ''} -n ${namespace ?? ''}`}`;
  if (/invalid version/.test(message)) return versionHint(managementAddOn, cluster);
  if (/variable/.test(message)) return 'define it in the customizedVariables of an AddOnDeploymentConfig that the add-on references';
  return manifestHint(message, nameOf(managementAddOn), cluster);
}

/** Suggests a version that exists. The suggested command affects only this cluster, because other clusters may not have the problem. */
function versionHint(managementAddOn: ClusterManagementAddOn, cluster: string): string {
  const name = nameOf(managementAddOn);
  const versions = managementAddOn.status?.supportedVersions ?? [];
  const offered = managementAddOn.status?.defaultVersion || versions.at(-1);
  if (!offered) return `create an AddOnTemplate of that version for ${name}`;
  return `${shell`outrigger upgrade ${name} --cluster ${cluster} --to ${offered}`} (versions: ${versions.join(', ') || offered})`;
}
