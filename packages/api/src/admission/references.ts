import type { KubeObject } from '@outrigger/core';
import type { AddOnConfig, ClusterManagementAddOn, ClusterManagementAddOnSpec, ManagedClusterAddOn } from '../generated/addon.js';
import { ADDON_GROUP } from '../groups.js';
import type { AccessCheck, AddOnView, AdmissionLookup, TemplateView } from './types.js';

/** A reference to a config, with its location in the object. */
export interface Reference {
  /** The path as messages show it: `spec.installStrategy.placements[2].configs[0]`. */
  readonly path: string;
  /** The location of the reference without list indexes, so that reordering a list adds no references. */
  readonly place: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const DEFAULTS = 'defaults';

export function managementReferences(spec: ClusterManagementAddOnSpec): readonly Reference[] {
  const strategy = spec.installStrategy;
  const defaults = (spec.supportedConfigs ?? []).flatMap(({ defaultConfig, ...kind }, index) =>
    defaultConfig ? [reference(`spec.supportedConfigs[${index}].defaultConfig`, DEFAULTS, { ...kind, ...defaultConfig })] : [],
  );
  const entries = (strategy?.placements ?? []).flatMap((entry, index) => {
    const path = `spec.installStrategy.placements[${index}]`;
    const place = `${entry.namespace}/${entry.name}`;
    return [
      ...references(`${path}.configs`, `${place} configs`, entry.configs),
      ...references(`${path}.addonTemplate.configs`, `${place} addonTemplate`, entry.addonTemplate?.configs),
    ];
  });
  return [
    ...defaults,
    ...entries,
    ...references('spec.installStrategy.configs', 'configs', strategy?.configs),
    ...references('spec.installStrategy.addonTemplate.configs', 'addonTemplate', strategy?.addonTemplate?.configs),
  ];
}

export function addOnReferences(spec: ManagedClusterAddOn['spec']): readonly Reference[] {
  return references('spec.configs', 'configs', spec.configs);
}

function references(path: string, place: string, configs: readonly AddOnConfig[] = []): readonly Reference[] {
  return configs.map((config, index) => reference(`${path}[${index}]`, place, config));
}

function reference(path: string, place: string, { group = '', resource, namespace, name }: AddOnConfig): Reference {
  return { path, place, group, resource, namespace: namespace === '' ? undefined : namespace, name };
}

/** Returns the references that the update adds. Existing references are not checked again. */
export function addedReferences(now: readonly Reference[], before: readonly Reference[]): readonly Reference[] {
  const known = new Set(before.map(identity));
  return now.filter((ref) => !known.has(identity(ref)));
}

function identity({ place, group, resource, namespace = '', name }: Reference): string {
  return [place, group, resource, namespace, name].join('\n');
}

export function isTemplateReference({ group, resource }: { readonly group?: string; readonly resource: string }): boolean {
  return group === ADDON_GROUP && resource === 'addontemplates';
}

/**
 * Returns one warning for each reference to a kind that the add-on does not support. The write is accepted, and the conditions of the
 * add-ons report the reference too.
 */
export function unsupportedReferences(refs: readonly Reference[], managementAddOn: AddOnView, lookup: AdmissionLookup): readonly string[] {
  // Skip the default configs: supportedConfigs itself contains them, so their kinds are supported.
  return refs
    .filter((ref) => ref.place !== DEFAULTS && !supports(managementAddOn, ref, { refs, lookup }))
    .map(
      (ref) =>
        `${ref.path}: ${kindOf(ref)} is not among the supportedConfigs of the add-on ${managementAddOn.name}, so it is not applied; add it there or remove the reference`,
    );
}

interface Referenced {
  /** The references that the write adds. */
  readonly refs: readonly Reference[];
  readonly lookup: AdmissionLookup;
}

function supports(managementAddOn: AddOnView, ref: Reference, { refs, lookup }: Referenced): boolean {
  const isSame = ({ group, resource }: Pick<Reference, 'group' | 'resource'>): boolean => group === ref.group && resource === ref.resource;
  if (managementAddOn.supportedConfigs.some(isSame)) return true;
  if ((isTemplateReference(ref) || isDeploymentConfigReference(ref)) && isTemplateAddOn(managementAddOn, { refs, lookup })) return true;
  return [...lookup.publishedConfigs(managementAddOn.name)].some(isSame);
}

/**
 * Whether the add-on is rendered from AddOnTemplates. This is so if its supported configs include AddOnTemplates, or if its declaration,
 * the write or one of its ManagedClusterAddOns references one.
 */
function isTemplateAddOn(managementAddOn: AddOnView, { refs, lookup }: Referenced): boolean {
  if (managementAddOn.supportedConfigs.some(isTemplateReference) || managementAddOn.templates.length > 0) return true;
  if (refs.some((ref) => isTemplateReference(ref) && lookup.template(ref.name))) return true;
  for (const _ of lookup.templatesOf(managementAddOn.name)) return true;
  return false;
}

function isDeploymentConfigReference({ group, resource }: Pick<Reference, 'group' | 'resource'>): boolean {
  return group === ADDON_GROUP && resource === 'addondeploymentconfigs';
}

/** The core kinds that are known to be namespaced. For other kinds, the conditions of the add-ons report a missing namespace. */
const NAMESPACED: ReadonlySet<string> = new Set(['/configmaps', '/secrets', '/serviceaccounts']);

/** Returns one warning for each reference without the namespace that its kind needs. */
export function unplacedReferences(refs: readonly Reference[]): readonly string[] {
  return refs
    .filter((ref) => ref.namespace === undefined && (isDeploymentConfigReference(ref) || NAMESPACED.has(`${ref.group}/${ref.resource}`)))
    .map((ref) => `${ref.path}: ${kindOf(ref)} is namespaced, and the reference to ${ref.name} names no namespace; add one`);
}

/**
 * Returns the references to templates whose spec.addonName names another add-on. Such templates are used nevertheless, because templates
 * are selected by reference.
 */
export function borrowedTemplates(refs: readonly Reference[], addOn: string, lookup: AdmissionLookup): readonly BorrowedTemplate[] {
  return refs.flatMap((ref) => {
    const template = isTemplateReference(ref) ? lookup.template(ref.name) : undefined;
    if (!template || template.addonName === addOn) return [];
    const warning = `${ref.path}: the AddOnTemplate ${ref.name} is of the add-on ${template.addonName} (spec.addonName), not of ${addOn}; it is used all the same`;
    return [{ path: ref.path, template, warning }];
  });
}

export interface BorrowedTemplate {
  readonly path: string;
  readonly template: TemplateView;
  readonly warning: string;
}

/**
 * Returns the permissions that references to missing templates require. A template that does not exist yet may grant any permission once
 * another author creates it, so only writers that may create the template may reference it.
 */
export function unknownTemplateChecks(refs: readonly Reference[], lookup: AdmissionLookup): readonly AccessCheck[] {
  const unknown = refs.filter((ref) => isTemplateReference(ref) && !lookup.template(ref.name));
  return unknown.map(({ path, group, resource, name }) => ({
    attributes: { verb: 'create', group, resource },
    denied: `${path}: there is no AddOnTemplate ${name}, and you may not create it; reference it when it exists`,
  }));
}

/** Returns the names of the templates that a ClusterManagementAddOn or ManagedClusterAddOn, in the stored version, references. */
export function referencedTemplates({ kind, spec }: KubeObject & { readonly spec?: unknown }): readonly string[] {
  const refs = kind === 'ClusterManagementAddOn' ? managementReferences(spec ?? {}) : addOnReferences(spec ?? {});
  return [...new Set(refs.filter(isTemplateReference).map(({ name }) => name))];
}

/**
 * Returns the permissions that references require. A writer must be allowed to read a referenced object, because rendered manifests may
 * contain the content of the object.
 */
export function readChecks(refs: readonly Reference[]): readonly AccessCheck[] {
  return refs.map((ref) => {
    const { path, group, resource, namespace, name } = ref;
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    return {
      attributes: { verb: 'get', group, resource, name, ...(namespace === undefined ? {} : { namespace }) },
      denied: `${path}: you may not get ${kindOf(ref)} ${object}, so you may not reference it`,
    };
  });
}

function kindOf({ group, resource }: Reference): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Returns the fields of a declaration that the admission rules use. */
export function addOnView({ metadata, spec }: ClusterManagementAddOn): AddOnView {
  const templates = managementReferences(spec).filter(isTemplateReference);
  return {
    name: metadata.name ?? '',
    dependencies: (spec.dependencies ?? []).map(({ name }) => name),
    supportedConfigs: (spec.supportedConfigs ?? []).map(({ group = '', resource }) => ({ group, resource })),
    templates: [...new Set(templates.map(({ name }) => name))],
  };
}
