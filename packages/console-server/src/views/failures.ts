import { type FailureGroup, compareNames } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';
import { isReachable, shortReason, stateOf } from './cells.js';
import { MAX_MESSAGE, clip } from './limits.js';
import type { Sight } from './sight.js';

const MOST_GROUPS = 50;
const NAMED_CLUSTERS = 5;

/** Groups the failures that the user may see by add-on, reason and message. Ignores differences in the cluster name. */
export function failureGroups(state: FleetState, sight: Sight, only?: string): readonly FailureGroup[] {
  const groups = new Map<string, { group: FailureGroup; clusters: string[]; count: number }>();
  for (const [cluster, here] of state.addOns) {
    if (!sight.seesAddOns(cluster)) continue;
    const reachable = isReachable(state, cluster);
    for (const [addOn, { report }] of here) {
      if (only !== undefined && addOn !== only) continue;
      const { cause } = stateOf(report, reachable);
      if (cause === undefined) continue;
      const reason = shortReason(cause);
      const key = `${addOn}\n${reason}\n${cause.message.replaceAll(cluster, '<cluster>')}`;
      const found = groups.get(key) ?? {
        group: { addOn, reason, message: clip(cause.message, MAX_MESSAGE), count: 0, clusters: [] },
        clusters: [],
        count: 0,
      };
      found.count++;
      keepFirst(found.clusters, cluster);
      groups.set(key, found);
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count || (a.group.addOn < b.group.addOn ? -1 : 1))
    .slice(0, MOST_GROUPS)
    .map(({ group, clusters, count }) => ({ ...group, clusters, count }));
}

/** Keeps the first few clusters by name. */
function keepFirst(clusters: string[], cluster: string): void {
  const last = clusters.at(-1);
  if (clusters.length === NAMED_CLUSTERS && last !== undefined && compareNames(last, cluster) < 0) return;
  clusters.push(cluster);
  clusters.sort(compareNames).splice(NAMED_CLUSTERS);
}
