import type { AddOnConfig, ClusterManagementAddOn, ClusterManagementAddOnSpec, ManagedClusterAddOn } from '../generated/addon.js';
import { ADDON_GROUP } from '../groups.js';
import { invalid } from './result.js';
import type { AccessCheck, AddOnView, AdmissionLookup, Refused } from './types.js';

/** A configuration somebody names, and where. */
export interface Reference {
  /** For people: `spec.installStrategy.placements[2].configs[0]`. */
  readonly path: string;
  /** The same place whatever its index is: a list may be reordered without anything being new. */
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

/** References that were not at their place before: an update is judged by what it adds. */
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

/** The first reference to a kind the add-on does not support. */
export function unsupportedReference(refs: readonly Reference[], addOn: AddOnView, lookup: AdmissionLookup): Refused | undefined {
  // A default stands in the list of supported kinds itself.
  const offending = refs.find((ref) => ref.place !== DEFAULTS && !supports(addOn, ref, lookup));
  if (!offending) return undefined;
  const problem = `${kindOf(offending)} is not among the supportedConfigs of the add-on ${addOn.name}; add it there or remove the reference`;
  return invalid(offending.path, problem);
}

function supports(addOn: AddOnView, ref: Reference, lookup: AdmissionLookup): boolean {
  if (addOn.supportedConfigs.some(({ group, resource }) => group === ref.group && resource === ref.resource)) return true;
  return ref.group === ADDON_GROUP && ref.resource === 'addondeploymentconfigs' && isTemplateAddOn(addOn, lookup);
}

function isTemplateAddOn(addOn: AddOnView, lookup: AdmissionLookup): boolean {
  if (addOn.supportedConfigs.some(isTemplateReference)) return true;
  for (const _ of lookup.templatesOf(addOn.name)) return true;
  return false;
}

/** The first reference to a template of another add-on. */
export function foreignTemplate(refs: readonly Reference[], addOn: string, lookup: AdmissionLookup): Refused | undefined {
  for (const ref of refs) {
    const template = isTemplateReference(ref) ? lookup.template(ref.name) : undefined;
    if (template && template.addonName !== addOn) {
      return invalid(ref.path, `the AddOnTemplate ${ref.name} belongs to the add-on ${template.addonName}, not to ${addOn}`);
    }
  }
  return undefined;
}

/** Who names an object must be allowed to read it: what it holds may show in what is rendered. */
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

/** For lookups that hold whole objects. */
export function addOnView({ metadata, spec }: ClusterManagementAddOn): AddOnView {
  const templates = managementReferences(spec).filter(isTemplateReference);
  return {
    name: metadata.name ?? '',
    dependencies: (spec.dependencies ?? []).map(({ name }) => name),
    supportedConfigs: (spec.supportedConfigs ?? []).map(({ group = '', resource }) => ({ group, resource })),
    templates: [...new Set(templates.map(({ name }) => name))],
  };
}
