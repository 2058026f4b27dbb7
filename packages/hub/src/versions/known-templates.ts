import type { ClusterManagementAddOnSpec } from '@outrigger/api';
import type { CacheView } from '@outrigger/kube';
import { isTemplate, toRef } from '../configuration/references.js';
import { addOns } from '../resources/add-ons.js';
import { type TemplateRecord, templates } from '../resources/templates.js';
import { defaultConfigs, entriesOf } from '../strategy/entries.js';

/** The templates that can be versions of an add-on. */
export interface KnownTemplates {
  /** Templates whose `spec.addonName` names the add-on. */
  readonly own: readonly TemplateRecord[];
  /** Other templates that the declaration or one of its ManagedClusterAddOns references. */
  readonly referenced: readonly TemplateRecord[];
}

export function knownTemplates(view: CacheView, name: string, spec: ClusterManagementAddOnSpec | undefined): KnownTemplates {
  const declared = spec ? [...defaultConfigs(spec), ...entriesOf(spec).flatMap(({ configs }) => configs)] : [];
  const chosen = view.byIndex(addOns, 'choosesTemplate', name).flatMap((addOn) => (addOn.spec.configs ?? []).map(toRef));
  const names = new Set([...declared, ...chosen].filter(isTemplate).map((ref) => ref.name));
  const referenced = [...names].flatMap((template) => view.get(templates, { name: template }) ?? []);
  return { own: view.byIndex(templates, 'addOn', name), referenced: referenced.filter(({ addOnName }) => addOnName !== name) };
}
