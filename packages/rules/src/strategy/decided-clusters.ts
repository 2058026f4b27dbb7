import type { LabelSelector } from '@outrigger/core';
import type { PlacementDecisionProjection, PlacementProjection } from '../observed/placements.js';

/** The clusters of one decision group of a Placement, in name order. */
export interface DecisionGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
}

/** The clusters that an entry selects. */
export interface DecidedClusters {
  /** The groups in index order, each with its clusters in name order. No cluster is in two groups. */
  readonly groups: readonly DecisionGroup[];
  /** The position of each cluster, counted across all groups. */
  readonly positions: ReadonlyMap<string, number>;
}

function decidedIn(groups: readonly DecisionGroup[]): DecidedClusters {
  const positions = new Map<string, number>();
  for (const { clusters } of groups) for (const cluster of clusters) positions.set(cluster, positions.size);
  return { groups, positions };
}

export const NO_CLUSTERS: DecidedClusters = decidedIn([]);

interface Selected {
  readonly names: readonly string[];
  readonly decided: DecidedClusters;
}

const labelled = new WeakMap<LabelSelector, Selected>();

/**
 * The clusters that a label selector matches, as one group. Sorts the names only if the list differs from the previous pass, which is rare.
 */
export function labelledClusters(selector: LabelSelector, names: readonly string[]): DecidedClusters {
  const found = labelled.get(selector);
  if (found && isSame(found.names, names)) return found.decided;
  const decided = decidedIn([{ index: 0, name: '', clusters: [...names].sort() }]);
  labelled.set(selector, { names, decided });
  return decided;
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

interface Known {
  readonly pages: readonly PlacementDecisionProjection[];
  readonly decided: DecidedClusters;
}

/**
 * Caches the clusters for each list of pages, because every add-on on every selected cluster needs them. A cached PlacementDecision never
 * changes, so pages can be compared by identity.
 */
const known = new WeakMap<PlacementDecisionProjection, Known>();

/**
 * Returns the clusters in all PlacementDecisions of a Placement. If there is no PlacementDecision, the selection is unknown and the result
 * is undefined. A PlacementDecision without clusters means that no cluster is selected.
 */
export function decidedClusters(pages: readonly PlacementDecisionProjection[]): DecidedClusters | undefined {
  const [first] = pages;
  if (!first) return undefined;
  const found = known.get(first);
  if (found && isSame(found.pages, pages)) return found.decided;
  const decided = join(pages);
  // Copy the list, because the cache later changes the list that it returned.
  known.set(first, { pages: [...pages], decided });
  return decided;
}

/**
 * Whether the scheduler has not finished the first decision of a Placement, as just after the Placement was created again or restored from
 * a backup. PlacementDecisions are empty until their status is written, and the scheduler writes the number of clusters after all of them.
 */
export function isFirstDecision(
  { selected }: Pick<PlacementProjection, 'selected'>,
  pages: readonly PlacementDecisionProjection[],
): boolean {
  return selected === undefined && pages.some(({ isUnwritten }) => isUnwritten === true);
}

function join(pages: readonly PlacementDecisionProjection[]): DecidedClusters {
  const groups = new Map<number, { name: string; clusters: Set<string> }>();
  const all = new Set<string>();
  // Sort the pages, because a cache returns them in any order.
  for (const page of [...pages].sort((a, b) => a.groupIndex - b.groupIndex)) {
    const group = groups.get(page.groupIndex) ?? { name: page.groupName, clusters: new Set<string>() };
    groups.set(page.groupIndex, group);
    for (const cluster of page.clusters) {
      // While pages are rewritten, two of them may name the same cluster. It belongs to the first group, so that it is not counted in two
      // groups.
      if (!all.has(cluster)) group.clusters.add(cluster);
      all.add(cluster);
    }
  }
  return decidedIn(Array.from(groups, ([index, { name, clusters }]) => ({ index, name, clusters: [...clusters].sort() })));
}
