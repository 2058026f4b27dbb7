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
  // The lookup does not contain the new state of this declaration yet, so it is added here with its new references.
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

/** The fields of the strategy itself, which only a label selector has; with Placements each item of `placements` has its own. */
const SELECTOR_SETTINGS = ['addonTemplate', 'configs', 'rolloutStrategy'] as const;

type StrategyField = 'placements' | 'labelSelector' | (typeof SELECTOR_SETTINGS)[number];

/** The fields that each type ignores. A type without a row ignores no field. */
const IGNORED_FIELDS: { readonly [Type in NonNullable<InstallStrategy['type']>]?: readonly StrategyField[] } = {
  Manual: ['placements', 'labelSelector', ...SELECTOR_SETTINGS],
  Placements: ['labelSelector', ...SELECTOR_SETTINGS],
  ClusterLabelSelector: ['placements'],
};

/** Warns about settings that the chosen type ignores, usually because the user forgot to set the type or set a field at the wrong level. */
function ignoredParts(strategy: InstallStrategy = {}): readonly string[] {
  const { type = 'Manual' } = strategy;
  const isSet = (field: StrategyField): boolean => {
    const value = strategy[field];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  };
  return (IGNORED_FIELDS[type] ?? []).filter(isSet).map((field) => `spec.installStrategy.${field} is ignored with type ${type}`);
}

export function reviewManagementAddOnDeletion(name: string, lookup: AdmissionLookup): AdmissionResult {
  const installations = lookup.installations(name);
  const dependents = [...lookup.addOns()].filter((addOn) => addOn.dependencies.includes(name)).map((addOn) => addOn.name);
  return allowedWith({
    warnings: [
      // The rules do not see how the deletion propagates.
      ...(installations > 0
        ? [
            `the add-on ${name} is installed on ${countText(installations, 'cluster')} and will be removed there, except with --cascade=orphan`,
          ]
        : []),
      ...(dependents.length > 0 ? [`add-ons that depend on ${name}: ${dependents.sort().join(', ')}`] : []),
    ],
  });
}
