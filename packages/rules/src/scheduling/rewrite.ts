import type { Page } from './pages.js';

/** An existing page, with its current and its wanted clusters. `to` is undefined if the page should be deleted. */
export interface Rewrite {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: readonly string[] | undefined;
}

/**
 * Orders the rewrites of existing pages into rounds of independent rewrites. A cluster that moves between pages is added to the new page
 * before it is removed from the old one, so that a reader of all pages never misses a cluster that stays selected. If pages exchange
 * clusters in a cycle and all of these pages exist, one of them is rewritten without this guarantee.
 *
 * `missing` names pages that do not exist yet; rewrites that must wait for them are left for a later pass.
 */
export function rewriteRounds(
  rewrites: readonly Rewrite[],
  wanted: readonly Page[],
  missing: readonly Page[],
): readonly (readonly Rewrite[])[] {
  const stays = new Set(wanted.flatMap(({ clusters }) => clusters));
  const comes = new Set(missing.flatMap(({ clusters }) => clusters));
  const holders = countHolders(rewrites);
  const rounds: Rewrite[][] = [];
  let left = rewrites.filter((rewrite) => !isDone(rewrite));
  while (left.length > 0) {
    let round = takeFree(left, stays, holders);
    if (round.length === 0) round = cut(left, stays, comes, holders);
    if (round.length === 0) break;
    for (const rewrite of round) for (const cluster of added(rewrite)) holders.set(cluster, (holders.get(cluster) ?? 0) + 1);
    rounds.push(round);
    left = left.filter((rewrite) => !round.includes(rewrite));
  }
  return rounds;
}

function countHolders(rewrites: readonly Rewrite[]): Map<string, number> {
  const holders = new Map<string, number>();
  for (const { from } of rewrites) for (const cluster of from) holders.set(cluster, (holders.get(cluster) ?? 0) + 1);
  return holders;
}

/**
 * Takes the rewrites that drop only clusters that are also on other pages. `holders` has the number of pages for each cluster. This number
 * is reduced immediately, so that the rewrites of one round never drop a cluster from all of its pages.
 */
function takeFree(left: readonly Rewrite[], stays: ReadonlySet<string>, holders: Map<string, number>): Rewrite[] {
  const free: Rewrite[] = [];
  for (const rewrite of left) {
    const clusters = dropped(rewrite, stays);
    if (clusters.some((cluster) => (holders.get(cluster) ?? 0) < 2)) continue;
    for (const cluster of clusters) holders.set(cluster, (holders.get(cluster) ?? 0) - 1);
    free.push(rewrite);
  }
  return free;
}

/** Picks one page of a cycle to rewrite. Returns no page if the clusters that it drops belong to a page that does not exist yet. */
function cut(left: readonly Rewrite[], stays: ReadonlySet<string>, comes: ReadonlySet<string>, holders: Map<string, number>): Rewrite[] {
  const next = left.find((rewrite) => !dropped(rewrite, stays).some((cluster) => comes.has(cluster)));
  if (!next) return [];
  for (const cluster of dropped(next, stays)) holders.set(cluster, (holders.get(cluster) ?? 0) - 1);
  return [next];
}

/** The clusters that the page drops although they stay selected. */
function dropped({ from, to = [] }: Rewrite, stays: ReadonlySet<string>): readonly string[] {
  const kept = new Set(to);
  return from.filter((cluster) => !kept.has(cluster) && stays.has(cluster));
}

function added({ from, to = [] }: Rewrite): readonly string[] {
  const known = new Set(from);
  return to.filter((cluster) => !known.has(cluster));
}

function isDone({ from, to }: Rewrite): boolean {
  return to !== undefined && to.length === from.length && to.every((cluster, index) => cluster === from[index]);
}
