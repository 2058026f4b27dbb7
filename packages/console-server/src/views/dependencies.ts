import type { DependencyGraph } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';

/** Maximum number of nodes in the graph. */
const MOST_NODES = 200;

export function dependenciesOf(state: FleetState, addOn: string): readonly { readonly name: string; readonly isRequired: boolean }[] {
  return (state.declarations.get(addOn)?.spec.dependencies ?? []).map(({ name, type }) => ({ name, isRequired: type !== 'Optional' }));
}

/** The add-on, its transitive dependencies and its transitive dependents. */
export function dependencyGraph(state: FleetState, addOn: string): DependencyGraph {
  const dependents = new Map<string, string[]>();
  for (const name of state.declarations.keys()) {
    for (const dependency of dependenciesOf(state, name))
      dependents.set(dependency.name, [...(dependents.get(dependency.name) ?? []), name]);
  }
  const below = reach(addOn, (name) => dependenciesOf(state, name).map((one) => one.name));
  const above = reach(addOn, (name) => dependents.get(name) ?? []);
  const nodes = new Set([addOn, ...below, ...above]);
  return {
    nodes: [...nodes].map((name) => ({ name, isDeclared: state.declarations.has(name) })),
    edges: [...nodes].flatMap((from) =>
      dependenciesOf(state, from)
        .filter(({ name }) => nodes.has(name))
        .map(({ name, isRequired }) => ({ from, to: name, isRequired })),
    ),
  };
}

function reach(start: string, next: (name: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>([start]);
  const waiting = [start];
  for (let name = waiting.shift(); name !== undefined && found.size < MOST_NODES; name = waiting.shift()) {
    for (const other of next(name)) {
      if (found.has(other)) continue;
      found.add(other);
      waiting.push(other);
    }
  }
  return found;
}

/** Sorts add-ons so that each comes after its dependencies. Add-ons on a cycle are sorted by name. */
export function inDependencyOrder(state: FleetState, names: readonly string[]): readonly string[] {
  const present = new Set(names);
  const done = new Set<string>();
  const order: string[] = [];
  const visiting = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name) || visiting.has(name)) return;
    visiting.add(name);
    for (const dependency of dependenciesOf(state, name)) if (present.has(dependency.name)) visit(dependency.name);
    visiting.delete(name);
    done.add(name);
    order.push(name);
  };
  for (const name of [...names].sort()) visit(name);
  return order;
}
