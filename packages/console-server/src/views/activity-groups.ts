import type { ActivityGroup, ActivityItem } from '@outrigger/console-contract';
import { parseTime } from '@outrigger/core';

/** The maximum time between two consecutive items of a group. */
const MOST_BETWEEN_MS = 60_000;

interface OpenGroup {
  readonly item: ActivityItem;
  readonly clusters: Set<string>;
  lastMs: number;
}

/**
 * Combines the items about the same event on many clusters into one group at the position of the newest item. `items` must be sorted,
 * newest first.
 */
export function groupActivity(items: readonly ActivityItem[]): readonly ActivityGroup[] {
  const groups: OpenGroup[] = [];
  const openGroups = new Map<string, OpenGroup>();
  for (const item of items) {
    const { addOn = '', cluster, type, reason, message, by, count } = item;
    const lastMs = parseTime(item.at) ?? 0;
    if (cluster === undefined) {
      groups.push({ item, clusters: new Set(), lastMs });
      continue;
    }
    const key = JSON.stringify([addOn, type, reason, message.replaceAll(cluster, '<cluster>'), by, count]);
    const found = openGroups.get(key);
    if (found && found.lastMs - lastMs <= MOST_BETWEEN_MS && !found.clusters.has(cluster)) {
      found.clusters.add(cluster);
      found.lastMs = lastMs;
    } else {
      const group = { item, clusters: new Set([cluster]), lastMs };
      groups.push(group);
      openGroups.set(key, group);
    }
  }
  return groups.map(({ item, clusters }) => ({ item, clusters: [...clusters] }));
}
