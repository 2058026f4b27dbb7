import type { ClusterManagementAddOn, InstallStrategy } from '../generated/addon.js';
import { dependencyCycles } from '../dependency-cycle.js';
import {
  addedReferences,
  addOnView,
  foreignTemplate,
  isTemplateReference,
  managementReferences,
  readChecks,
  unsupportedReference,
} from './references.js';
import { allowedWith, invalid } from './result.js';
import type { AdmissionLookup, AdmissionResult, Refused } from './types.js';

export function reviewManagementAddOn(
  object: ClusterManagementAddOn,
  old: ClusterManagementAddOn | undefined,
  lookup: AdmissionLookup,
): AdmissionResult {
  const view = addOnView(object);
  const added = addedReferences(managementReferences(object.spec), old ? managementReferences(old.spec) : []);
  const refused = newCycle(object, old, lookup) ?? unsupportedReference(added, view, lookup) ?? foreignTemplate(added, view.name, lookup);
  if (refused) return refused;
  const missing = added.filter((ref) => isTemplateReference(ref) && !lookup.template(ref.name));
  return allowedWith({
    warnings: [
      ...missing.map((ref) => `${ref.path}: there is no AddOnTemplate ${ref.name} yet`),
      ...ignoredParts(object.spec.installStrategy),
    ],
    requires: readChecks(added),
  });
}

/** A cycle one of the added dependencies closes. Cycles that were there before do not hold up other edits. */
function newCycle(object: ClusterManagementAddOn, old: ClusterManagementAddOn | undefined, lookup: AdmissionLookup): Refused | undefined {
  const name = object.metadata.name ?? '';
  const own = (object.spec.dependencies ?? []).map((dependency) => dependency.name);
  const before = new Set((old?.spec.dependencies ?? []).map((dependency) => dependency.name));
  const dependsOn = (addOn: string): readonly string[] => (addOn === name ? own : (lookup.addOn(addOn)?.dependencies ?? []));
  const cycles = dependencyCycles(name, dependsOn);
  for (const [index, dependency] of own.entries()) {
    const cycle = before.has(dependency) ? undefined : cycles.through(dependency);
    if (cycle) return invalid(`spec.dependencies[${index}].name`, `the dependencies form a cycle: ${cycle.join(' -> ')}`);
  }
  return undefined;
}

/** Settings the chosen type does not look at are usually a forgotten type. */
function ignoredParts(strategy: InstallStrategy | undefined): readonly string[] {
  const { type = 'Manual', placements = [], labelSelector } = strategy ?? {};
  const ignored = (field: string): string => `spec.installStrategy.${field} is ignored with type ${type}`;
  return [
    ...(type !== 'Placements' && placements.length > 0 ? [ignored('placements')] : []),
    ...(type !== 'ClusterLabelSelector' && labelSelector !== undefined ? [ignored('labelSelector')] : []),
  ];
}

export function reviewManagementAddOnDeletion(name: string, lookup: AdmissionLookup): AdmissionResult {
  const installations = lookup.installations(name);
  const dependents = [...lookup.addOns()].filter((addOn) => addOn.dependencies.includes(name)).map((addOn) => addOn.name);
  return allowedWith({
    warnings: [
      ...(installations > 0 ? [`the add-on ${name} is installed on ${clusters(installations)} and will be removed there`] : []),
      ...(dependents.length > 0 ? [`add-ons that depend on ${name}: ${dependents.sort().join(', ')}`] : []),
    ],
  });
}

function clusters(count: number): string {
  return count === 1 ? '1 cluster' : `${count} clusters`;
}
