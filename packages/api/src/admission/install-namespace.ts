import { DEFAULT_INSTALL_NAMESPACE } from '../constants.js';
import type { AddOnDeploymentConfig, ClusterManagementAddOn, ManagedClusterAddOn } from '../generated/addon.js';
import { ADDON_GROUP } from '../groups.js';
import { type Reference, addOnReferences, managementReferences } from './references.js';
import { allowedWith } from './result.js';
import type { AdmissionLookup, AdmissionResult } from './types.js';

const FIELD = 'spec.agentInstallNamespace';

/**
 * Warns if a write sets the install namespace of a deployment config to the schema's default, because the agents of add-ons that use the
 * config then move to that namespace. Upstream moves them too, but users who omit the namespace rarely intend the move.
 */
export function reviewDeploymentConfig(
  { metadata, spec }: AddOnDeploymentConfig,
  old: AddOnDeploymentConfig | undefined,
  lookup: AdmissionLookup,
): AdmissionResult {
  const isNew = old?.spec.agentInstallNamespace !== DEFAULT_INSTALL_NAMESPACE;
  if (!isNew || spec.agentInstallNamespace !== DEFAULT_INSTALL_NAMESPACE) return allowedWith({});
  const { name = '', namespace = '' } = metadata;
  const users = lookup.deploymentConfigUsers(namespace, name);
  return allowedWith({
    warnings: [...new Set(users)].sort().flatMap((addOn) => movedWarning(FIELD, `${namespace}/${name}`, addOn, lookup)),
  });
}

/**
 * Returns a warning for each added reference to an existing deployment config that moves the add-on's agent to the default install
 * namespace.
 */
export function movingReferences(refs: readonly Reference[], addOn: string, lookup: AdmissionLookup): readonly string[] {
  return refs.flatMap(({ path, group, resource, namespace = '', name }) => {
    if (group !== ADDON_GROUP || resource !== 'addondeploymentconfigs') return [];
    const isDefault = lookup.deploymentConfig(namespace, name)?.agentInstallNamespace === DEFAULT_INSTALL_NAMESPACE;
    return isDefault ? movedWarning(path, `${namespace}/${name}`, addOn, lookup) : [];
  });
}

/**
 * Returns warnings if the agent of an add-on moves on one cluster only because of the default install namespace. `installed` is the add-on
 * on the cluster, if there is one.
 */
export function movedAgentWarnings(
  managementAddOn: ClusterManagementAddOn,
  installed: ManagedClusterAddOn | undefined,
  lookup: AdmissionLookup,
): readonly string[] {
  const { installNamespace = DEFAULT_INSTALL_NAMESPACE } = installed?.spec ?? {};
  if (installNamespace !== DEFAULT_INSTALL_NAMESPACE) return [];
  const name = managementAddOn.metadata.name ?? '';
  const own = movingReferences(installed ? addOnReferences(installed.spec) : [], name, lookup);
  return own.length > 0 ? own : movingReferences(managementReferences(managementAddOn.spec), name, lookup);
}

function movedWarning(path: string, config: string, addOn: string, lookup: AdmissionLookup): readonly string[] {
  const named = lookup.addOn(addOn)?.templates ?? [];
  const templates = named.length > 0 ? named.flatMap((name) => lookup.template(name) ?? []) : [...lookup.templatesOf(addOn)];
  const places = templates.map(({ installNamespace }) => installNamespace).filter((place) => place !== DEFAULT_INSTALL_NAMESPACE);
  const [from] = places.filter((place) => !place.includes('{{')).sort();
  if (from === undefined) return [];
  return [
    `${path}: the agentInstallNamespace of AddOnDeploymentConfig ${config} is the field's default, ${DEFAULT_INSTALL_NAMESPACE}: it moves the agent of the add-on ${addOn} there from ${from}; set agentInstallNamespace: "" to keep the namespace of the template`,
  ];
}
