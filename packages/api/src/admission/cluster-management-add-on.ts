import { FIELDS_OF_STRATEGY } from '../addon/install-strategy.js';
import type { ClusterManagementAddOn, InstallStrategy } from '../generated/addon.js';
import { countText } from '@outrigger/core';
import { cycleText, dependencyCycles } from '../dependency-cycle.js';
import {
  addedReferences,
  addOnView,
  borrowedTemplates,
  isTemplateReference,
  managementReferences,
  readChecks,
  unknownTemplateChecks,
  unplacedReferences,
  unsupportedReferences,
} from './references.js';
import { movingReferences } from './install-namespace.js';
import { longName } from './long-name.js';
import { allowedWith, invalid } from './result.js';
import { type AuthorContext, borrowedAuthorChecks } from './template-author.js';
import type { AdmissionLookup, AdmissionResult, Refused } from './types.js';

export function reviewManagementAddOn(
  object: ClusterManagementAddOn,
  old: ClusterManagementAddOn | undefined,
  lookup: AdmissionLookup,
  context: AuthorContext,
): AdmissionResult {
  const view = addOnView(object);
  const added = addedReferences(managementReferences(object.spec), old ? managementReferences(old.spec) : []);
  const refused = newCycle(object, old, lookup);
  if (refused) return refused;
  const missing = lookup.isPartial ? [] : added.filter((ref) => isTemplateReference(ref) && !lookup.template(ref.name));
  const borrowed = borrowedTemplates(added, view.name, lookup);
  // `lookup` still returns the old state of this declaration, so `known` returns the new state instead.
  const known: AdmissionLookup = { ...lookup, addOn: (name) => (name === view.name ? view : lookup.addOn(name)) };
  return allowedWith({
    warnings: [
      ...(added.some(isTemplateReference) ? longName('metadata.name', view.name) : []),
      ...unsupportedReferences(added, view, lookup),
      ...unplacedReferences(added),
      ...borrowed.map(({ warning }) => warning),
      ...movingReferences(added, view.name, known),
      ...missing.map((ref) => `${ref.path}: there is no AddOnTemplate ${ref.name} yet`),
      ...placementsMissing(object.spec.installStrategy),
      ...ignoredParts(object.spec.installStrategy),
    ],
    requires: [...readChecks(added), ...unknownTemplateChecks(added, lookup), ...borrowedAuthorChecks(borrowed, context)],
  });
}

/** Rejects a cycle that one of the added dependencies closes. Cycles that already exist do not prevent other edits. */
function newCycle(object: ClusterManagementAddOn, old: ClusterManagementAddOn | undefined, lookup: AdmissionLookup): Refused | undefined {
  const name = object.metadata.name ?? '';
  const own = (object.spec.dependencies ?? []).map((dependency) => dependency.name);
  const before = new Set((old?.spec.dependencies ?? []).map((dependency) => dependency.name));
  const dependsOn = (addOn: string): readonly string[] => (addOn === name ? own : (lookup.addOn(addOn)?.dependencies ?? []));
  const cycles = dependencyCycles(name, dependsOn);
  for (const [index, dependency] of own.entries()) {
    const cycle = before.has(dependency) ? undefined : cycles.through(dependency);
    if (cycle) return invalid(`spec.dependencies[${index}].name`, `the dependencies form a cycle: ${cycleText(cycle)}`);
  }
  return undefined;
}

/** Warns about a strategy that selects no cluster because it names no Placement. `outrigger lint` also calls this function. */
export function placementsMissing(strategy: InstallStrategy | undefined): readonly string[] {
  if (strategy?.type !== 'Placements' || (strategy.placements ?? []).length > 0) return [];
  return [
    'spec.installStrategy.placements: type Placements names no Placement, so the add-on is installed on no cluster; add a namespace and name of a Placement',
  ];
}

/**
 * Warns about settings that the chosen type of install strategy ignores. Usually the user forgot the type or set a field at the wrong
 * level.
 */
function ignoredParts(strategy: InstallStrategy = {}): readonly string[] {
  const { type = 'Manual', ...fields } = strategy;
  // `FIELDS_OF_STRATEGY` has no row for a stored type that this version of the code does not know.
  const used: readonly string[] | undefined = Object.hasOwn(FIELDS_OF_STRATEGY, type) ? FIELDS_OF_STRATEGY[type] : undefined;
  const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== undefined);
  return Object.entries(fields).flatMap(([field, value]) =>
    used && isSet(value) && !used.includes(field) ? [`spec.installStrategy.${field} is ignored with type ${type}`] : [],
  );
}

export function reviewManagementAddOnDeletion(name: string, lookup: AdmissionLookup): AdmissionResult {
  const installations = lookup.installations(name);
  const dependents = [...lookup.addOns()].filter((addOn) => addOn.dependencies.includes(name)).map((addOn) => addOn.name);
  return allowedWith({
    warnings: [
      // The propagation policy of the deletion is unknown here, so the warning names the policy with which the add-ons are kept.
      ...(installations > 0
        ? [
            `the add-on ${name} is installed on ${countText(installations, 'cluster')} and will be removed there, except with --cascade=orphan`,
          ]
        : []),
      ...(dependents.length > 0 ? [`add-ons that depend on ${name}: ${dependents.sort().join(', ')}`] : []),
    ],
  });
}
