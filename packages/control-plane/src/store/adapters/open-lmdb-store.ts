import type { Store } from '../contract.js';
import { MvccStore } from '../mvcc.js';
import { assertReadable, markClosed, markOpen } from './lmdb-check.js';
import { LmdbJournal } from './lmdb-journal.js';

/**
 * Opens the durable store in a folder, creating it where there is none. One process at a time may have it open. Rejects with
 * `StoreUnavailable` when it cannot be read; the message says what to do.
 */
export async function openLmdbStore(dir: string): Promise<Store> {
  await assertReadable(dir);
  const store = new MvccStore(LmdbJournal.open(dir, { onClosed: () => markClosed(dir) }));
  await markOpen(dir);
  return store;
}
