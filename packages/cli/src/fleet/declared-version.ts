import { ADDON_GROUP, type ClusterManagementAddOn, isTemplateReference } from '@outrigger/api';
import { type Json, type JsonObject, asJson } from '@outrigger/core';
import type { JsonPatchOperation } from '@outrigger/kube';
import { suggestion } from '@outrigger/rules/explanation';
import { type DeclaredEntry, declaredEntries } from '@outrigger/rules/strategy';
import { notFound } from '../failure.js';

/**
 * Returns a patch that sets the default config of one kind in supportedConfigs. It applies to clusters without an override and entries
 * without a reference of their own.
 */
export function defaultConfigOperations(
  { spec }: ClusterManagementAddOn,
  { group, resource }: { readonly group: string; readonly resource: string },
  defaultConfig: { readonly name: string; readonly namespace?: string },
): readonly JsonPatchOperation[] {
  const configs = spec.supportedConfigs ?? [];
  const index = configs.findIndex((one) => one.group === group && one.resource === resource);
  if (index >= 0) return [{ op: 'add', path: `/spec/supportedConfigs/${index}/defaultConfig`, value: defaultConfig }];
  const entry: JsonObject = { group, resource, defaultConfig };
  return configs.length > 0
    ? [{ op: 'add', path: '/spec/supportedConfigs/-', value: entry }]
    : [{ op: 'add', path: '/spec/supportedConfigs', value: [entry] as Json }];
}

/** Returns a patch that sets the default version, which is the default template. */
function defaultTemplate(managementAddOn: ClusterManagementAddOn, template: string): readonly JsonPatchOperation[] {
  return defaultConfigOperations(managementAddOn, { group: ADDON_GROUP, resource: 'addontemplates' }, { name: template });
}

/** A version of the add-on: its name, and its template. */
export interface DeclaredVersion {
  readonly version: string;
  readonly template: string;
}

/** The version or template that an entry sets for its clusters, whatever the default is. */
function ownVersion({ settings: { addonTemplate, configs = [] } }: DeclaredEntry): string | undefined {
  const template = [...configs, ...(addonTemplate?.configs ?? [])].find(isTemplateReference)?.name;
  return addonTemplate?.installVersion ?? (template === undefined ? undefined : `template ${template}`);
}

/**
 * Returns a patch that sets the version of the fleet: the default version, and the version of the entry if the strategy has only one and
 * that entry sets its own version.
 */
function fleetVersion(managementAddOn: ClusterManagementAddOn, to: DeclaredVersion): readonly JsonPatchOperation[] {
  const only = onlyEntry(managementAddOn);
  return [...defaultTemplate(managementAddOn, to.template), ...(only ? withVersion(only, to) : [])];
}

/** Returns the patch of `upgrade`, for one entry or for the fleet. Without a version, the entry follows the fleet again. */
export function versionOperations(
  managementAddOn: ClusterManagementAddOn,
  placement: string | undefined,
  to: DeclaredVersion | undefined,
): readonly JsonPatchOperation[] {
  if (placement !== undefined) return entryVersion(managementAddOn, placement, to);
  return to ? fleetVersion(managementAddOn, to) : [];
}

/** Returns the entry of a strategy with one entry, if the entry sets its own version; otherwise undefined. */
function onlyEntry(managementAddOn: ClusterManagementAddOn): DeclaredEntry | undefined {
  const [only, ...others] = declaredEntries(managementAddOn.spec);
  return only && others.length === 0 && ownVersion(only) !== undefined ? only : undefined;
}

/**
 * Returns the entries that set another version and therefore do not follow the version of the fleet (`others`). `isAll` is true if there
 * are such entries and every entry sets a version.
 */
export function entriesWithOwnVersion(
  managementAddOn: ClusterManagementAddOn,
  { version, template }: DeclaredVersion,
): { readonly others: readonly { readonly name: string; readonly version: string }[]; readonly isAll: boolean } {
  if (onlyEntry(managementAddOn)) return { others: [], isAll: false };
  const entries = declaredEntries(managementAddOn.spec).map((one) => ({ name: one.name, version: ownVersion(one) }));
  const others = entries.flatMap(({ name, version: own }) =>
    own === undefined || own === version || own === `template ${template}` ? [] : [{ name, version: own }],
  );
  return { others, isAll: others.length > 0 && entries.every(({ version: own }) => own !== undefined) };
}

/** Returns a patch that sets or removes the version of one entry of the strategy. */
function entryVersion(
  managementAddOn: ClusterManagementAddOn,
  placement: string,
  to: DeclaredVersion | undefined,
): readonly JsonPatchOperation[] {
  const entries = declaredEntries(managementAddOn.spec).filter(({ source }) => source.type === 'Placements');
  const found = entries.find(({ name }) => name === placement);
  if (!found) {
    const names = entries.map(({ name }) => name);
    const advice = names.length === 0 ? ': it names no Placements, so leave out --placement' : suggestion(placement, names);
    throw notFound(`the strategy of ${managementAddOn.metadata.name} has no Placement "${placement}"${advice}`);
  }
  if (to) return withVersion(found, to);
  const hasVersion = found.settings.addonTemplate?.installVersion !== undefined;
  return hasVersion ? [{ op: 'remove', path: `${found.path}/addonTemplate/installVersion` }] : [];
}

/**
 * The version and the template that an entry sets must agree (addons.md §4), so a template that the entry names is replaced. An entry that
 * names no template gets an installVersion.
 */
function withVersion(
  { path, settings: { addonTemplate, configs } }: DeclaredEntry,
  { version, template }: DeclaredVersion,
): readonly JsonPatchOperation[] {
  const moved = <T extends { readonly group?: string; readonly resource: string }>(list: readonly T[]): readonly T[] =>
    list.map((config) => (isTemplateReference(config) ? { ...config, name: template } : config));
  const isNamed = [...(configs ?? []), ...(addonTemplate?.configs ?? [])].some(isTemplateReference);
  const needsVersion = !isNamed || addonTemplate?.installVersion !== undefined;
  const next = {
    ...addonTemplate,
    ...(addonTemplate?.configs ? { configs: moved(addonTemplate.configs) } : {}),
    ...(needsVersion ? { installVersion: version } : {}),
  };
  return [
    ...(configs?.some(isTemplateReference) ? [{ op: 'add' as const, path: `${path}/configs`, value: asJson(moved(configs)) }] : []),
    ...(needsVersion || addonTemplate?.configs ? [{ op: 'add' as const, path: `${path}/addonTemplate`, value: asJson(next) }] : []),
  ];
}
