import { managedClusterAddOns } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { isTemplate, refKey, toRef } from '@outrigger/rules/configuration';
import { type AddOnProjection, projectAddOn } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const addOns: Resource<AddOnProjection, 'addOn' | 'cluster' | 'config' | 'choosesTemplate' | 'version'> = {
  name: 'add-ons',
  api: HUB,
  kind: managedClusterAddOns,
  project: projectAddOn,
  indexes: {
    addOn: ({ key }) => [key.name],
    cluster: ({ key }) => [key.namespace ?? ''],
    /** The keys, `group/resource/namespace/name`, of the configs that the add-on's own spec references. */
    config: ({ spec }) => (spec.configs ?? []).map((ref) => refKey(toRef(ref))),
    /** The key `add-on/version`, if the add-on's own spec names a version. */
    version: ({ key, spec }) => (spec.installVersion === undefined ? [] : [versionKey(key.name, spec.installVersion)]),
    /** The add-on's name, if the add-on's own spec references a template. */
    choosesTemplate: ({ key, spec }) => ((spec.configs ?? []).some((ref) => isTemplate(toRef(ref))) ? [key.name] : []),
  },
};

/** Returns the value of the index `version`: `add-on/version`. */
export function versionKey(addOn: string, version: string): string {
  return `${addOn}/${version}`;
}
