import { Quantity, parseQuantity } from '@outrigger/core';
import type { NodeProjection } from '../resources/nodes.js';

type Amounts = Readonly<Record<string, string>>;

/** Returns the capacity of all nodes and the allocatable resources of the schedulable nodes. */
export function sumNodes(nodes: Iterable<NodeProjection>): { readonly capacity: Amounts; readonly allocatable: Amounts } {
  const all = [...nodes];
  return {
    capacity: sum(all.map(({ capacity }) => capacity)),
    allocatable: sum(all.filter(({ isSchedulable }) => isSchedulable).map(({ allocatable }) => allocatable)),
  };
}

/** Adds up amounts. The result is sorted by name, so that the same nodes always give the same status. */
function sum(amounts: readonly Amounts[]): Amounts {
  const totals = new Map<string, Quantity>();
  for (const [name, text] of amounts.flatMap((amount) => Object.entries(amount))) {
    totals.set(name, (totals.get(name) ?? new Quantity(0n)).add(parseQuantity(text)));
  }
  return Object.fromEntries([...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, total]) => [name, total.toString()]));
}
