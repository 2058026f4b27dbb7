import { type ObjectKey, isConditionTrue, findCondition } from '@outrigger/core';
import type { CacheView, Outcomes } from '@outrigger/kube';
import { configLookup } from '../../configuration/lookup.js';
import { isTemplate } from '../../configuration/references.js';
import type { DependencyLookups } from '../../dependencies/evaluate.js';
import { declaredCycles } from '../../dependencies/cycle.js';
import { type AddOnRecord, addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { type DeclarationRecord, declarations } from '../../resources/declarations.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { works } from '../../resources/works.js';
import { defaultConfigs, entriesOf } from '../../strategy/entries.js';
import { membershipOf } from '../../strategy/membership.js';
import { versionCatalog } from '../../versions/catalog.js';
import type { AddOnState } from './state.js';

/** Reads everything a pass looks at, in one turn. */
export function observe(view: CacheView, key: ObjectKey, outcomes: Outcomes): AddOnState | undefined {
  const addOn = view.get(addOns, key);
  if (!addOn) return undefined;
  const cluster = key.namespace ?? '';
  const declaration = view.get(declarations, { name: key.name });
  const entries = declaration ? entriesOf(declaration.spec) : [];
  const defaultTemplate = declaration && defaultConfigs(declaration.spec).find(isTemplate)?.name;
  return {
    addOn,
    declaration,
    cluster: view.get(clusters, { name: cluster }),
    membership: membershipOf(view, entries, cluster),
    rollout: view.get(rollouts, { name: key.name }),
    catalog: versionCatalog(view.byIndex(templates, 'addOn', key.name), defaultTemplate),
    configs: configLookup(view),
    dependencies: declaration?.spec.dependencies ?? [],
    prerequisites: prerequisites(view, key, declaration),
    works: view.byIndex(works, 'addOn', `${cluster}/${key.name}`),
    outcomes,
  };
}

/** Other add-ons on the same cluster. Cycles are looked for only along what this add-on can reach. */
function prerequisites(view: CacheView, key: ObjectKey, declaration: DeclarationRecord | undefined): DependencyLookups {
  const dependencies = declaration?.spec.dependencies ?? [];
  const cycles = dependencies.length === 0 ? undefined : declaredCycles(view, key.name);
  return {
    prerequisite(name) {
      const other = view.get(addOns, { ...key, name });
      return other && summary(other);
    },
    cycle: (name) => cycles?.through(name),
  };
}

function summary(addOn: AddOnRecord): { isDeleting: boolean; isAvailable: boolean; degradedReason: string | undefined } {
  const { conditions } = addOn.status;
  const degraded = findCondition(conditions, 'Degraded');
  return {
    isDeleting: addOn.isDeleting,
    isAvailable: isConditionTrue(conditions, 'Available'),
    degradedReason: degraded?.status === 'True' ? degraded.reason : undefined,
  };
}
