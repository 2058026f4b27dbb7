import type { ActivityGroup, ActivityItem } from '@outrigger/console-contract';
import { parseTime } from '@outrigger/core';

/** The maximum time between two consecutive items of a group. */
const MOST_BETWEEN_MS = 60_000;

interface OpenGroup {
  readonly item: ActivityItem;
  readonly clusters: string[];
  readonly names: Set<string>;
  lastMs: number;
}

/** Combines the same event on many clusters into one line, at the position of the newest. Expects the newest item first. */
export function groupActivity(items: readonly ActivityItem[]): readonly ActivityGroup[] {
  const groups: OpenGroup[] = [];
  const openGroups = new Map<string, OpenGroup>();
  for (const item of items) {
    const { addOn = '', cluster, type, reason, message, by, count } = item;
    const atMs = parseTime(item.at) ?? 0;
    const general = cluster === undefined ? message : message.replaceAll(cluster, '<cluster>');
    const key = JSON.stringify([addOn, type, reason, general, by, count]);
    const found = cluster === undefined ? undefined : openGroups.get(key);
    if (found !== undefined && found.lastMs - atMs <= MOST_BETWEEN_MS && cluster !== undefined && !found.names.has(cluster)) {
      found.clusters.push(cluster);
      found.names.add(cluster);
      found.lastMs = atMs;
      continue;
    }
    const clusters = cluster === undefined ? [] : [cluster];
    const group = { item, clusters, names: new Set(clusters), lastMs: atMs };
    groups.push(group);
    if (cluster !== undefined) openGroups.set(key, group);
  }
  return groups.map(({ item, clusters }) => ({ item, clusters }));
}
