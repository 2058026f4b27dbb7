import { isUnreachable } from '@outrigger/rules/observed';
import { placeCluster } from '@outrigger/rules/rollout';
import { NO_KINDS, ownKinds } from '@outrigger/rules/strategy';
import type { FleetState } from '../controllers/fleet/state.js';
import type { PlannedEntry } from './entries.js';

/** How the change affects a cluster. */
export const STANDINGS = ['fresh', 'moving', 'unchanged', 'overridden', 'skipped', 'failed'] as const;
export type Standing = (typeof STANDINGS)[number];

/** The clusters of one group, sorted by how the change affects them. */
export interface GroupPlan extends Readonly<Record<Standing, readonly string[]>> {
  /** The name of the decision group; empty if the clusters have no decision group. */
  readonly name: string;
  readonly index: number;
}

/**
 * Sorts the clusters of an entry by how the change affects them. `fresh`: clusters that get the add-on for the first time. `overridden`:
 * clusters that keep a version or configs that their owner set. `skipped`: unreachable clusters, for which the rollout does not wait.
 * `failed`: clusters that failed to reach this target before.
 */
export function groupPlans(state: FleetState, { members, rollout }: PlannedEntry): readonly GroupPlan[] {
  const { entry } = members.observation;
  return members.groups.map(({ index, name, clusters, addOns }, i) => {
    const found: Record<Standing, string[]> = { fresh: [], moving: [], unchanged: [], overridden: [], skipped: [], failed: [] };
    const observed = rollout?.start.state.groups[i]?.clusters ?? [];
    for (const [position, cluster] of clusters.entries()) {
      const clusterAddOn = addOns[position];
      const seen = observed[position];
      const isOverridden = clusterAddOn !== undefined && ownKinds(clusterAddOn, { entry, isUnselected: false }) !== NO_KINDS;
      if (!seen || !rollout) found[isUnreachable(state.cluster(cluster)) ? 'skipped' : 'unchanged'].push(cluster);
      else {
        const { phase } = placeCluster(rollout.start.state, seen, rollout.start.startAt);
        if (phase === 'skipped' || phase === 'parked') found.skipped.push(cluster);
        else if (phase === 'failed' || phase === 'failing' || phase === 'recovering') found.failed.push(cluster);
        else if (phase === 'succeeded') found[isOverridden ? 'overridden' : 'unchanged'].push(cluster);
        else found[seen.isNew && seen.report.isFresh ? 'fresh' : 'moving'].push(cluster);
      }
    }
    return { name, index, ...found };
  });
}
