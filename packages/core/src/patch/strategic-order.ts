import { ApiError } from '../errors.js';
import { isJsonObject } from '../json.js';
import { goValue } from '../schema/go-format.js';
import { getOwn } from './own.js';

/**
 * Returns the identity of an item: the value of its merge key, or the item itself in a list of scalars. Throws if the item has no merge
 * key.
 */
export function identityOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  const key = isJsonObject(item) ? getOwn(item, mergeKey) : undefined;
  if (key !== undefined) return key;
  throw new ApiError('Unknown', `map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/**
 * Returns the merged items in order. Items that the patch names keep the order of the patch, and items that only the server has keep the
 * order of the server. The two lists are interleaved by the order on the server; if that does not decide, items of the patch come first.
 */
export function inOrder(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  const patchRank = ranks(patchOrder, mergeKey);
  const serverRank = ranks(serverOrder, mergeKey);
  const rankIn = (rank: ReadonlyMap<unknown, number>, item: unknown): number => rank.get(identityOf(item, mergeKey)) ?? -1;
  const named = sortedBy(
    merged.filter((item) => rankIn(patchRank, item) >= 0),
    (item) => rankIn(patchRank, item),
  );
  const serverOnly = sortedBy(
    merged.filter((item) => rankIn(patchRank, item) < 0),
    (item) => rankIn(serverRank, item),
  );
  return woven(serverOnly, named, (item) => rankIn(serverRank, item));
}

function ranks(order: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const rank = new Map<unknown, number>();
  for (const [i, item] of order.entries()) {
    const key = identityOf(item, mergeKey);
    if (!rank.has(key)) rank.set(key, i);
  }
  return rank;
}

function sortedBy(items: readonly unknown[], rank: (item: unknown) => number): unknown[] {
  return [...items].sort((a, b) => rank(a) - rank(b));
}

function woven(serverOnly: readonly unknown[], named: readonly unknown[], rank: (item: unknown) => number): unknown[] {
  const out: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = rank(item);
    while (next < serverOnly.length && place >= 0 && rank(serverOnly[next]) >= 0 && rank(serverOnly[next]) < place)
      out.push(serverOnly[next++]);
    out.push(item);
  }
  return [...out, ...serverOnly.slice(next)];
}

/** Throws unless the items of a patch are in the order that `$setElementOrder` gives. Ignores the items that the patch deletes. */
export function elementOrder(changes: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (changes.length === 0 || order.length === 0) return;
  const wanted = changes.filter((item) => !isJsonObject(item) || !Object.hasOwn(item, '$patch')).map((item) => identityOf(item, mergeKey));
  let next = 0;
  for (const item of order) if (next < wanted.length && identityOf(item, mergeKey) === wanted[next]) next++;
  if (next < wanted.length) {
    const lists = `${goValue(changes)}\n doesn't match $setElementOrder list:\n${goValue(order)}`;
    throw new ApiError('Unknown', `The order in patch list:\n${lists}\n`);
  }
}
