import { MvccStore } from '../mvcc.js';
import type { Store } from '../contract.js';
import { LmdbJournal } from './lmdb-journal.js';

/**
 * Opens the durable store in a folder, creating it where there is none. One process at a time may have it open. Throws
 * `StoreUnavailable` when it cannot be read; the message says what to do.
 */
export function openLmdbStore(dir: string): Store {
  return new MvccStore(LmdbJournal.open(dir));
}
