/** Texts of PlacementSatisfied besides those every package shares; people and scripts know them from upstream. */
export const SATISFIED_MESSAGES = {
  noBindings: 'No valid ManagedClusterSetBindings found in placement namespace',
  noIntersection: (sets: readonly string[]): string => `None of ManagedClusterSets [${sets.join(',')}] is bound to placement namespace`,
  setsEmpty: (sets: readonly string[]): string => `All ManagedClusterSets [${sets.join(',')}] have no member ManagedCluster`,
  noneMatched: 'No ManagedCluster matches any of the cluster predicate',
  allScheduled: 'All cluster decisions scheduled',
} as const;
