import type { CacheView } from '@outrigger/kube';
import { declarations } from '../resources/declarations.js';
import { type DependencyGraph, dependencyGraph } from './graph.js';

/** The graph of what one add-on can reach over its dependencies: all that can be on a cycle with it. */
export function reachableGraph(view: CacheView, from: string): DependencyGraph {
  const edges = new Map<string, readonly string[]>();
  const queue = [from];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (edges.has(name)) continue;
    const next = (view.get(declarations, { name })?.spec.dependencies ?? []).map((dependency) => dependency.name);
    edges.set(name, next);
    queue.push(...next);
  }
  return dependencyGraph(edges);
}

export function dependencyCycle(view: CacheView, name: string): readonly string[] | undefined {
  return reachableGraph(view, name).cycleOf(name);
}
