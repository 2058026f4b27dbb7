import type { ClusterManagementAddOnSpec } from '@outrigger/api';
import { isTemplate, toRef } from '../configuration/references.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import type { TemplateProjection } from '../observed/templates.js';
import { defaultConfigs, entriesOf } from '../strategy/entries.js';

/** The templates that can be versions of an add-on. */
export interface KnownTemplates {
  /** Templates whose `spec.addonName` names the add-on. */
  readonly own: readonly TemplateProjection[];
  /** Other templates that the declaration or one of its ManagedClusterAddOns references. */
  readonly referenced: readonly TemplateProjection[];
}

/** Indexed lookups of the objects from which the versions of an add-on are read. */
export interface TemplateLookups {
  template(name: string): TemplateProjection | undefined;
  /** The templates whose `spec.addonName` names the add-on. */
  templatesOf(addOnName: string): readonly TemplateProjection[];
  /** The ManagedClusterAddOns of the add-on that reference a template in their own spec. */
  choosingTemplate(addOnName: string): readonly AddOnProjection[];
}

export function knownTemplates(lookups: TemplateLookups, name: string, spec: ClusterManagementAddOnSpec | undefined): KnownTemplates {
  const declared = spec ? [...defaultConfigs(spec), ...entriesOf(spec).flatMap(({ configs }) => configs)] : [];
  const chosen = lookups.choosingTemplate(name).flatMap((clusterAddOn) => (clusterAddOn.spec.configs ?? []).map(toRef));
  const names = new Set([...declared, ...chosen].filter(isTemplate).map((ref) => ref.name));
  const referenced = [...names].flatMap((template) => lookups.template(template) ?? []);
  return { own: lookups.templatesOf(name), referenced: referenced.filter(({ addOnName }) => addOnName !== name) };
}
