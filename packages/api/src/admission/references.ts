import { ADDON_GROUP } from '../groups.js';
import type { AddOnConfig, ClusterManagementAddOn, ClusterManagementAddOnSpec, ManagedClusterAddOn } from '../generated/addon.js';
import type { AccessCheck, AddOnView, AdmissionLookup, Refused } from './types.js';
import { invalid } from './result.js';

/** A configuration somebody names, and where. */
export interface Reference {
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Whether the kind must be among the supported ones; defaults stand in that very list. */
  readonly isDefault: boolean;
}

export function managementReferences(spec: ClusterManagementAddOnSpec): readonly Reference[] {
  const strategy = spec.installStrategy;
  const defaults = (spec.supportedConfigs ?? []).flatMap(({ group, resource, defaultConfig }, index) =>
    defaultConfig
      ? [
          reference(
            `spec.supportedConfigs[${index}].defaultConfig`,
            { ...defaultConfig, resource, ...(group === undefined ? {} : { group }) },
            true,
          ),
        ]
      : [],
  );
  const entries = (strategy?.placements ?? []).flatMap((entry, index) => {
    const path = `spec.installStrategy.placements[${index}]`;
    return [...references(`${path}.configs`, entry.configs), ...references(`${path}.addonTemplate.configs`, entry.addonTemplate?.configs)];
  });
  return [
    ...defaults,
    ...entries,
    ...references('spec.installStrategy.configs', strategy?.configs),
    ...references('spec.installStrategy.addonTemplate.configs', strategy?.addonTemplate?.configs),
  ];
}

export function addOnReferences(spec: ManagedClusterAddOn['spec']): readonly Reference[] {
  return references('spec.configs', spec.configs);
}

function references(path: string, configs: readonly AddOnConfig[] | undefined): readonly Reference[] {
  return (configs ?? []).map((config, index) => reference(`${path}[${index}]`, config, false));
}

function reference(path: string, config: AddOnConfig, isDefault: boolean): Reference {
  const { group = '', resource, namespace, name } = config;
  return { path, group, resource, namespace: namespace === '' ? undefined : namespace, name, isDefault };
}

/** References that were not there before, wherever they stood: an update is judged by what it adds. */
export function addedReferences(now: readonly Reference[], before: readonly Reference[]): readonly Reference[] {
  const known = new Set(before.map(identity));
  return now.filter((ref) => !known.has(identity(ref)));
}

function identity({ group, resource, namespace = '', name }: Reference): string {
  return `${resource}.${group}/${namespace}/${name}`;
}

export function isTemplateReference({ group, resource }: { readonly group?: string; readonly resource: string }): boolean {
  return group === ADDON_GROUP && resource === 'addontemplates';
}

/** The first reference to a kind the add-on does not support. */
export function unsupportedReference(refs: readonly Reference[], addOn: AddOnView, lookup: AdmissionLookup): Refused | undefined {
  const offending = refs.find((ref) => !ref.isDefault && !supports(addOn, ref, lookup));
  if (!offending) return undefined;
  const { path, group, resource } = offending;
  const kind = group === '' ? resource : `${resource}.${group}`;
  return invalid(path, `${kind} is not among the supportedConfigs of the add-on ${addOn.name}; add it there or remove the reference`);
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
  return refs.map(({ path, group, resource, namespace, name }) => ({
    attributes: { verb: 'get', group, resource, name, ...(namespace === undefined ? {} : { namespace }) },
    denied: `${path}: you may not get ${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? name : `${namespace}/${name}`}, so you may not reference it`,
  }));
}

/** For lookups that hold whole objects. */
export function addOnView(object: ClusterManagementAddOn): AddOnView {
  return {
    name: object.metadata.name ?? '',
    dependencies: (object.spec.dependencies ?? []).map(({ name }) => name),
    supportedConfigs: (object.spec.supportedConfigs ?? []).map(({ group = '', resource }) => ({ group, resource })),
    templates: [
      ...new Set(
        managementReferences(object.spec)
          .filter(isTemplateReference)
          .map(({ name }) => name),
      ),
    ],
  };
}
