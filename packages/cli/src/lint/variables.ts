import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  CLUSTER_NAME_VARIABLE,
  type ClusterManagementAddOn,
  HUB_KUBECONFIG_VARIABLE,
  INSTALL_NAMESPACE_VARIABLE,
  type ManagedClusterAddOn,
  type Reference,
  addOnReferences,
  convertObject,
  managementReferences,
  parseTemplateText,
  textsInside,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { nearest } from '@outrigger/rules/explanation';

const PRESET = [HUB_KUBECONFIG_VARIABLE, CLUSTER_NAME_VARIABLE, INSTALL_NAMESPACE_VARIABLE];

/** The configs of the checked files, and the add-ons' references to them. */
export interface VariableSources {
  readonly configs: readonly { readonly name: string; readonly variables: readonly string[] }[];
  /** Returns the configs that an add-on references, or undefined for an add-on that is not in the files. */
  readonly references: (addOn: string) => readonly string[] | undefined;
  /** The variables that configs outside of the files define. */
  readonly elsewhere: readonly string[];
}

export function variableSources(objects: readonly KubeObject[], elsewhere: readonly string[]): VariableSources {
  const configs = objects
    .filter((object): object is AddOnDeploymentConfig => object.kind === 'AddOnDeploymentConfig')
    .map((config) => ({ name: `${config.metadata.namespace ?? ''}/${config.metadata.name ?? ''}`, variables: variableNames(config) }));
  const references = new Map<string, string[]>();
  for (const { addOn, found } of objects.flatMap(referencesOf)) {
    const names = found
      .filter(({ group, resource }) => group === ADDON_GROUP && resource === 'addondeploymentconfigs')
      .map(({ namespace = '', name }) => `${namespace}/${name}`);
    references.set(addOn, [...(references.get(addOn) ?? []), ...names]);
  }
  // The references of an add-on are known only if the files declare it, because a ManagedClusterAddOn does not contain the references of
  // the declaration.
  const declared = new Set(objects.filter(({ kind }) => kind === 'ClusterManagementAddOn').map(({ metadata }) => metadata.name ?? ''));
  return { configs, elsewhere, references: (addOn) => (declared.has(addOn) ? (references.get(addOn) ?? []) : undefined) };
}

function referencesOf(object: KubeObject): readonly { readonly addOn: string; readonly found: readonly Reference[] }[] {
  const addOn = object.metadata.name ?? '';
  // References in malformed objects are ignored, because the schema check reports such objects.
  try {
    if (object.kind === 'ClusterManagementAddOn')
      return [{ addOn, found: managementReferences((convertObject(object, `${ADDON_GROUP}/v1alpha1`) as ClusterManagementAddOn).spec) }];
    if (object.kind === 'ManagedClusterAddOn')
      return [{ addOn, found: addOnReferences((convertObject(object, `${ADDON_GROUP}/v1alpha1`) as ManagedClusterAddOn).spec) }];
  } catch {
    return [];
  }
  return [];
}

function variableNames({ spec }: AddOnDeploymentConfig): readonly string[] {
  const variables: unknown = (spec as AddOnDeploymentConfig['spec'] | undefined)?.customizedVariables;
  return Array.isArray(variables)
    ? variables.flatMap((one: { readonly name?: unknown } | null) => (typeof one?.name === 'string' ? [one.name] : []))
    : [];
}

/**
 * Returns one message for each variable of a template that no config defines, or that is defined only by configs that its add-on does not
 * reference.
 */
export function undefinedVariables({ spec }: AddOnTemplate, sources: VariableSources): readonly string[] {
  const referenced = sources.references(spec.addonName);
  const usable = sources.configs.filter(({ name }) => referenced === undefined || referenced.includes(name));
  const defined = [...PRESET, ...sources.elsewhere, ...usable.flatMap(({ variables }) => variables)];
  const manifests = spec.agentSpec.workload?.manifests ?? [];
  return manifests.flatMap((manifest, index) =>
    [...textsInside(manifest, `spec.agentSpec.workload.manifests[${index}]`)].flatMap(({ text, path }) => {
      const parsed = parseTemplateText(text);
      if ('problem' in parsed) return [];
      const names = parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.variable]));
      return [...new Set(names)]
        .filter((name) => !defined.includes(name))
        .map((name) => `${path}: the variable ${name} is not defined: ${remedy(name, spec.addonName, defined, sources)}`);
    }),
  );
}

function remedy(name: string, addOn: string, defined: readonly string[], { configs, references }: VariableSources): string {
  const unreferenced = configs.find(({ variables }) => variables.includes(name));
  if (unreferenced) {
    const [namespace, config] = unreferenced.name.split('/');
    return `AddOnDeploymentConfig ${unreferenced.name} defines it, but the add-on ${addOn} does not reference that config; add {group: ${ADDON_GROUP}, resource: addondeploymentconfigs, defaultConfig: {namespace: ${namespace}, name: ${config}}} to the supportedConfigs of ClusterManagementAddOn ${addOn}`;
  }
  const near = nearest(name, defined);
  if (near !== undefined) return `did you mean {{${near}}}?`;
  const missing = (references(addOn) ?? []).filter((one) => !configs.some((config) => config.name === one));
  if (missing.length > 0)
    return `AddOnDeploymentConfig ${missing[0]} is not in these files; add it to them, or name the variable with --variables if it defines it`;
  return 'define it in the customizedVariables of an AddOnDeploymentConfig that the add-on references, or name it with --variables if one on the hub does';
}
