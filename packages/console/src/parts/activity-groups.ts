import type { ActivityItem } from '@outrigger/console-contract';
import { msOf } from './time.js';

/** The maximum time between two consecutive items of a group. */
const MOST_BETWEEN_MS = 60_000;

/** The same event on one or more clusters. */
export interface ActivityGroup {
  /** The newest. */
  readonly item: ActivityItem;
  /** The clusters, newest first; empty if the event is not about a cluster. */
  readonly clusters: readonly string[];
}

/** Combines the same event on many clusters into one line, at the position of the newest. Expects the newest item first. */
export function groupActivity(items: readonly ActivityItem[]): readonly ActivityGroup[] {
  const groups: { readonly item: ActivityItem; readonly clusters: string[]; lastMs: number }[] = [];
  const open = new Map<string, (typeof groups)[number]>();
  for (const item of items) {
    const { addOn = '', cluster, type, reason, message, by, count } = item;
    const atMs = msOf(item.at);
    const general = cluster === undefined ? message : message.replaceAll(cluster, '<cluster>');
    const key = JSON.stringify([addOn, type, reason, general, by, count]);
    const found = cluster === undefined ? undefined : open.get(key);
    if (found !== undefined && found.lastMs - atMs <= MOST_BETWEEN_MS && cluster !== undefined && !found.clusters.includes(cluster)) {
      found.clusters.push(cluster);
      found.lastMs = atMs;
      continue;
    }
    const group = { item, clusters: cluster === undefined ? [] : [cluster], lastMs: atMs };
    groups.push(group);
    if (cluster !== undefined) open.set(key, group);
  }
  return groups;
}

/** Writes a reason as words: `RolloutHalted` becomes `Rollout halted`. Other texts stay as they are. */
export function reasonWords(reason: string): string {
  if (!/^(?:[A-Z][a-z]+)+$/.test(reason)) return reason;
  return reason.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
