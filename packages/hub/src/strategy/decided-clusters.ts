import type { DecisionRecord } from '../resources/placements.js';
import type { DecisionGroup } from '../rollout/entry.js';

/** What all pages of a Placement's choice say together. */
export interface DecidedClusters {
  /** Different clusters: one that two pages name counts once. */
  readonly count: number;
  /** In index order, each with its clusters in name order. */
  readonly groups: readonly DecisionGroup[];
}

interface Known {
  readonly pages: readonly DecisionRecord[];
  readonly decided: DecidedClusters;
}

/** Every add-on of every selected cluster asks; the answer is computed once per set of pages. Records never change, so identity tells. */
const known = new WeakMap<DecisionRecord, Known>();

/** Undefined where there is no page at all, which says nothing; an empty page says that nobody is chosen. */
export function decidedClusters(pages: readonly DecisionRecord[]): DecidedClusters | undefined {
  const [first] = pages;
  if (!first) return undefined;
  const found = known.get(first);
  if (found?.pages.length === pages.length && pages.every((page, i) => page === found.pages[i])) return found.decided;
  const decided = join(pages);
  known.set(first, { pages, decided });
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
  return { count: all.size, groups: ordered.map(([index, { name, clusters }]) => ({ index, name, clusters: [...clusters].sort() })) };
}
