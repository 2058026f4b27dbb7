import type { GroupStrategy } from '@outrigger/api';
import type { Candidate } from './candidate.js';
import { MisconfiguredError, asMisconfigured } from './misconfigured.js';
import { compileSelectors } from './predicates.js';

/** A decision group; its index is its position in the list. */
export interface ClusterGroup {
  readonly name: string;
  /** By name. */
  readonly clusters: readonly string[];
}

/**
 * Groups the selected clusters. The declared groups come first, and each cluster belongs to the first one that matches it. The remaining
 * clusters form groups with an empty name. No group is larger than the strategy allows. There is always at least one group, so that an
 * empty selection is published too.
 */
export function groupClusters(
  chosen: readonly Candidate[],
  { decisionGroups = [], clustersPerDecisionGroup }: GroupStrategy = {},
): readonly ClusterGroup[] {
  const size = groupSize(clustersPerDecisionGroup, chosen.length);
  const rest = new Set(chosen);
  const declared = decisionGroups.flatMap(({ groupName, groupClusterSelector }) => {
    const { labelSelector, claimSelector } = groupClusterSelector;
    const matches = asMisconfigured('', () => compileSelectors(labelSelector, claimSelector));
    const taken = [...rest].filter(matches);
    for (const cluster of taken) rest.delete(cluster);
    return divide(groupName, taken, size);
  });
  const groups = [...declared, ...divide('', [...rest], size)];
  return groups.length > 0 ? groups : [{ name: '', clusters: [] }];
}

function groupSize(perGroup: number | string | undefined = '100%', total: number): number {
  const size = typeof perGroup === 'number' ? perGroup : Math.ceil((percentOf(perGroup) / 100) * total);
  return size <= 0 || size > total ? total : size;
}

function percentOf(text: string): number {
  const percent = /^[+-]?\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (Number.isNaN(percent)) throw new MisconfiguredError('', `${text} invalid type: string is not a percentage`);
  return percent;
}

function divide(name: string, clusters: readonly Candidate[], size: number): readonly ClusterGroup[] {
  const names = clusters.map((cluster) => cluster.name).sort();
  const groups: ClusterGroup[] = [];
  for (let start = 0; start < names.length; start += size) groups.push({ name, clusters: names.slice(start, start + size) });
  return groups;
}
