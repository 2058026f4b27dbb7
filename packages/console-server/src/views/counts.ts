import { CELL_STATES, CLUSTER_STATES, type CellState, type ClusterState } from '@outrigger/console-contract';

function none<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

export function noCells(): Record<CellState, number> {
  return none(CELL_STATES);
}

export function noClusters(): Record<ClusterState, number> {
  return none(CLUSTER_STATES);
}

/** Adds one to the count of `key`. */
export function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
