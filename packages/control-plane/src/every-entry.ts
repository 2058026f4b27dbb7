import type { Entry, Store } from './store/contract.js';

/** The number of entries that are read at once. */
export const PAGE = 1000;

/** Yields every entry whose key has a prefix. It reads in pages, so that the entries of a large store are never all in memory. */
export function* everyEntry(store: Store, prefix: string): Generator<Entry> {
  let after: string | undefined;
  for (;;) {
    const page = store.range(prefix, { limit: PAGE, inPassing: true, ...(after === undefined ? {} : { after }) });
    yield* page.entries;
    after = page.entries.at(-1)?.key;
    if (!page.more || after === undefined) return;
  }
}
