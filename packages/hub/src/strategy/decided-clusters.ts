import type { LabelSelector } from '@outrigger/core';
import type { DecisionRecord } from '../resources/placements.js';
import type { DecisionGroup } from '../rollout/entry.js';

/** Whom an entry selects. */
export interface DecidedClusters {
  /** In index order, each with its clusters in name order; no cluster is in two of them. */
  readonly groups: readonly DecisionGroup[];
  /** Where each cluster stands, counted through all groups. */
  readonly positions: ReadonlyMap<string, number>;
}

function decidedIn(groups: readonly DecisionGroup[]): DecidedClusters {
  const positions = new Map<string, number>();
  for (const { clusters } of groups) for (const cluster of clusters) positions.set(cluster, positions.size);
  return { groups, positions };
}

export const NOBODY_DECIDED: DecidedClusters = decidedIn([]);

interface Selected {
  readonly names: readonly string[];
  readonly decided: DecidedClusters;
}

const labelled = new WeakMap<LabelSelector, Selected>();

/** The clusters a label selector takes, as one group. Put in order once per set of names, which is mostly the one of the pass before. */
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
  readonly pages: readonly DecisionRecord[];
  readonly decided: DecidedClusters;
}

/** Every add-on of every selected cluster asks; the answer is computed once per set of pages. Records never change, so identity tells. */
const known = new WeakMap<DecisionRecord, Known>();

/** What all pages of a Placement's choice say together. Undefined where there is no page at all, which says nothing; an empty page says that nobody is chosen. */
export function decidedClusters(pages: readonly DecisionRecord[]): DecidedClusters | undefined {
  const [first] = pages;
  if (!first) return undefined;
  const found = known.get(first);
  if (found && isSame(found.pages, pages)) return found.decided;
  const decided = join(pages);
  // A copy: what the cache hands out is its own list, which goes on changing.
  known.set(first, { pages: [...pages], decided });
  return decided;
}

function join(pages: readonly DecisionRecord[]): DecidedClusters {
  const groups = new Map<number, { name: string; clusters: Set<string> }>();
  const all = new Set<string>();
  for (const page of pages) {
    const group = groups.get(page.groupIndex) ?? { name: page.groupName, clusters: new Set<string>() };
    groups.set(page.groupIndex, group);
    for (const cluster of page.clusters) {
      // A cluster named twice while pages are rewritten belongs to the page seen first; it must not be counted in two groups.
      if (!all.has(cluster)) group.clusters.add(cluster);
      all.add(cluster);
    }
  }
  const ordered = [...groups.entries()].sort(([a], [b]) => a - b);
  return decidedIn(ordered.map(([index, { name, clusters }]) => ({ index, name, clusters: [...clusters].sort() })));
}
