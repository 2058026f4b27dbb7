import { CLUSTER_MESSAGES, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import type { Kind } from '@outrigger/core';
import type { ClusterLeftoverProjection } from '../../../resources/cluster-leftovers.js';
import type { ClusterState } from '../state.js';

/** Maximum number of objects of each kind that the message names. */
const MOST_NAMED = 3;

/** Describes why the namespace of an accepted cluster is not removed yet: the add-ons and works in it, with their finalizers. */
export function terminatingMessage({ cluster, addOns, works }: Pick<ClusterState, 'cluster' | 'addOns' | 'works'>): string {
  const holders = [holdersOf(managedClusterAddOns, addOns), holdersOf(manifestWorks, works)].flat();
  return CLUSTER_MESSAGES.namespaceDeleting(cluster.key.name, holders);
}

function holdersOf({ plural }: Kind, leftovers: readonly ClusterLeftoverProjection[]): readonly string[] {
  const held = leftovers.filter(({ finalizers }) => finalizers.length > 0);
  if (held.length === 0) return [];
  const names = held.map(({ key }) => key.name).sort();
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const finalizers = [...new Set(held.flatMap((leftover) => leftover.finalizers))].sort();
  return [`${plural} ${names.slice(0, MOST_NAMED).join(', ')}${more} (finalizers ${finalizers.join(', ')})`];
}
