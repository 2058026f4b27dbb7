import { type DependencyCycles, dependencyCycles } from '@outrigger/api';
import type { CacheView } from '@outrigger/kube';
import { declarations } from '../resources/declarations.js';

/** The dependency cycles of an add-on as it is declared now; only what it can reach is looked at. */
export function declaredCycles(view: CacheView, addOn: string): DependencyCycles {
  return dependencyCycles(addOn, (name) =>
    (view.get(declarations, { name })?.spec.dependencies ?? []).map((dependency) => dependency.name),
  );
}

/** Some cycle the add-on is part of. */
export function dependencyCycle(view: CacheView, name: string): readonly string[] | undefined {
  return declaredCycles(view, name).shortest();
}
