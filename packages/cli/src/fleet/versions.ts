import { nameOf } from '@outrigger/core';
import {
  ADDON_VERSION_LABEL,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  addOnRollouts,
  addOnTemplates,
  addOnView,
  clusterManagementAddOns,
  managedClusters,
  isTemplateReference,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { notFound } from '../failure.js';
import { suggestion } from '@outrigger/rules/explanation';
import { find, listOf } from './objects.js';
import { ifAllowed } from './readable.js';

/** Returns the declaration of an add-on. Fails if it does not exist, and suggests the nearest name. */
export async function requireAddOn(hub: Client, name: string): Promise<ClusterManagementAddOn> {
  const found = await find(hub, clusterManagementAddOns, { name });
  if (found) return found;
  const [names, cluster] = await Promise.all([
    listOf(hub, clusterManagementAddOns).then((all) => all.map(nameOf)),
    ifAllowed(find(hub, managedClusters, { name })),
  ]);
  throw notFound(`there is no add-on "${name}"${cluster ? ': it is the name of a cluster' : ''}${suggestion(name, names)}`);
}

/**
 * Fails if the add-on is not declared. Accepts every name if the user may not read declarations, and then returns undefined instead of the
 * declaration.
 */
export async function checkAddOn(hub: Client, name: string): Promise<ClusterManagementAddOn | undefined> {
  return ifAllowed(requireAddOn(hub, name));
}

/**
 * Fails if the add-on has no such version. Accepts every version if the user may not read templates; the manager then reports a version
 * that does not exist.
 */
export async function checkVersion(hub: Client, addOn: string, version: string): Promise<void> {
  await ifAllowed(requireVersion(hub, addOn, version));
}

export async function requireVersion(hub: Client, addOn: string, version: string): Promise<AddOnTemplate> {
  const [all, managementAddOn] = await Promise.all([listOf(hub, addOnTemplates), find(hub, clusterManagementAddOns, { name: addOn })]);
  return templateOfVersion(templatesFor(all, addOn, managementAddOn), addOn, version);
}

/** Returns the versions of a declared add-on. */
export async function versionsOf(hub: Client, addOn: string): Promise<readonly string[]> {
  const [all, managementAddOn] = await Promise.all([listOf(hub, addOnTemplates), requireAddOn(hub, addOn)]);
  return templatesFor(all, addOn, managementAddOn).flatMap(({ metadata }) => metadata.labels?.[ADDON_VERSION_LABEL] ?? []);
}

/**
 * Returns the versions that the add-on on a cluster can have: of its templates, of its manager, and of its earlier revisions. Returns undefined
 * if the user may read none of these.
 */
export async function knownVersions(hub: Client, installed: ManagedClusterAddOn): Promise<ReadonlySet<string> | undefined> {
  const name = nameOf(installed);
  const [templates, managementAddOn, rollout] = await Promise.all([
    ifAllowed(listOf(hub, addOnTemplates)),
    ifAllowed(find(hub, clusterManagementAddOns, { name })),
    ifAllowed(find(hub, addOnRollouts, { name })),
  ]);
  if (!templates && !managementAddOn && !rollout) return undefined;
  return new Set([
    ...templatesFor(templates ?? [], name, managementAddOn, installed).flatMap(
      ({ metadata }) => metadata.labels?.[ADDON_VERSION_LABEL] ?? [],
    ),
    ...(managementAddOn?.status?.supportedVersions ?? []),
    ...(rollout?.status?.history ?? []).flatMap(({ version }) => version ?? []),
  ]);
}

/**
 * Returns the templates that can be versions of an add-on: those that name it, and those that its declaration or the add-on on the cluster
 * references.
 */
export function templatesFor(
  templates: readonly AddOnTemplate[],
  addOn: string,
  managementAddOn: ClusterManagementAddOn | undefined,
  installed?: ManagedClusterAddOn,
): readonly AddOnTemplate[] {
  const chosen = (installed?.spec.configs ?? []).filter(isTemplateReference).map(({ name }) => name);
  const referenced = [...(managementAddOn ? addOnView(managementAddOn).templates : []), ...chosen];
  return templates.filter(({ metadata, spec }) => spec.addonName === addOn || referenced.includes(metadata.name ?? ''));
}

/** Returns the template of this version of the add-on. Fails if it does not exist, and lists the existing versions. */
export function templateOfVersion(templates: readonly AddOnTemplate[], addOn: string, version: string): AddOnTemplate {
  const found = templates.find(({ metadata }) => metadata.labels?.[ADDON_VERSION_LABEL] === version);
  if (found) return found;
  const versions = templates.flatMap(({ metadata }) => metadata.labels?.[ADDON_VERSION_LABEL] ?? []);
  const meant = versions.find((one) => withoutSpelling(one) === withoutSpelling(version));
  const known = `there ${versions.length === 1 ? 'is' : 'are'} ${versions.sort().join(', ')}`;
  const advice = meant === undefined ? known : `did you mean "${meant}"?`;
  const none = `it has none; a version is an AddOnTemplate with the label ${ADDON_VERSION_LABEL}`;
  throw notFound(`add-on "${addOn}" has no version "${version}": ${versions.length === 0 ? none : advice}`);
}

/** Returns the canonical form of a version, without upper case and a leading `v`, so that `V2`, `v2` and `2` are equal. */
function withoutSpelling(version: string): string {
  return version.toLowerCase().replace(/^v/, '');
}
