import {
  ADDON_GROUP,
  type AddOnDeploymentConfig,
  type AddOnTemplate,
  type AddOnView,
  type AdmissionLookup,
  type ClusterManagementAddOn,
  DEFAULT_INSTALL_NAMESPACE,
  type TemplateView,
  addOnView,
  convertObject,
  templateView,
} from '@outrigger/api';
import { type KubeObject, indexBy } from '@outrigger/core';

/** Returns a lookup in the given objects, for the admission rules. */
export function lookupIn(objects: readonly KubeObject[]): AdmissionLookup {
  const addOns: AddOnView[] = [];
  const templates: TemplateView[] = [];
  const configs = objects.filter((object): object is AddOnDeploymentConfig => object.kind === 'AddOnDeploymentConfig');
  for (const object of objects) {
    // Malformed objects and unknown versions are skipped, because the schema check reports them.
    try {
      if (object.kind === 'ClusterManagementAddOn')
        addOns.push(addOnView(convertObject(object, `${ADDON_GROUP}/v1alpha1`) as ClusterManagementAddOn));
      if (object.kind === 'AddOnTemplate') templates.push(templateView(object as AddOnTemplate));
    } catch {
      continue;
    }
  }
  // The rules look up objects for every object of the files. Without these indexes, the lookups would take quadratic time.
  const addOnsByName = indexBy(addOns, ({ name }) => [name]);
  const templatesByName = indexBy(templates, ({ name }) => [name]);
  const templatesByAddOn = indexBy(templates, ({ addonName }) => [addonName]);
  const users = indexBy(addOns, (one) => one.templates);
  const configsByPlace = indexBy(configs, ({ metadata }) => [placeOf(metadata.namespace, metadata.name)]);
  return {
    addOn: (name) => addOnsByName.get(name)?.[0],
    addOns: () => addOns,
    template: (name) => templatesByName.get(name)?.[0],
    templatesOf: (addOn) => templatesByAddOn.get(addOn) ?? [],
    templateUsers: (name) => (users.get(name) ?? []).map((one) => one.name),
    publishedConfigs: () => [],
    deploymentConfig(namespace, name) {
      const found = configsByPlace.get(placeOf(namespace, name))?.[0];
      return found && { agentInstallNamespace: installNamespaceOf(found) };
    },
    // This lookup returns no users of a config, because lint reports an invalid reference at the object that contains the reference.
    deploymentConfigUsers: () => [],
    isPartial: true,
    installations: () => 0,
    addOnsOn: () => [],
    isTerminating: () => false,
  };
}

function placeOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

/** Returns the namespace as the API server would store it: the schema's default if the field is not set. */
function installNamespaceOf({ spec }: AddOnDeploymentConfig): string {
  const value: unknown = (spec as AddOnDeploymentConfig['spec'] | undefined)?.agentInstallNamespace;
  return typeof value === 'string' ? value : DEFAULT_INSTALL_NAMESPACE;
}

/** Returns the lookup without the checked template, so that the template is not reported as a duplicate of itself. */
export function withoutSelf(lookup: AdmissionLookup, { kind, metadata }: KubeObject): AdmissionLookup {
  if (kind !== 'AddOnTemplate') return lookup;
  const others = (views: Iterable<TemplateView>): readonly TemplateView[] => [...views].filter(({ name }) => name !== metadata.name);
  return { ...lookup, templatesOf: (addOn) => others(lookup.templatesOf(addOn)) };
}
