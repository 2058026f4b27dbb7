import { type DependencyCycles, dependencyCycles } from '@outrigger/api';
import type { CacheView, Change } from '@outrigger/kube';
import type { DeclarationProjection } from '@outrigger/rules/observed';
import { declarations } from '../resources/declarations.js';

/** The dependency cycles of an add-on, as currently declared. Searches only its direct and indirect dependencies. */
export function declaredCycles(view: CacheView, addOn: string): DependencyCycles {
  return dependencyCycles(addOn, (name) => namesOf(view.get(declarations, { name })));
}

/** The shortest cycle that includes the add-on. */
export function dependencyCycle(view: CacheView, name: string): readonly string[] | undefined {
  return declaredCycles(view, name).shortest();
}

/** The declarations that are on a dependency cycle with the changed declaration, or were before the change. */
export function cycleMates(view: CacheView, { before, after }: Change<DeclarationProjection>): readonly string[] {
  const addOn = (after ?? before)?.key.name ?? '';
  const own = [...namesOf(before), ...namesOf(after)];
  if (own.length === 0) return [];
  return [...dependencyCycles(addOn, (name) => (name === addOn ? own : namesOf(view.get(declarations, { name })))).members()];
}

function namesOf(managementAddOn: DeclarationProjection | undefined): readonly string[] {
  return (managementAddOn?.spec.dependencies ?? []).map(({ name }) => name);
}
