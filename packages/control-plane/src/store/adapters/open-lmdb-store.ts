import { mkdir } from 'node:fs/promises';
import type { Store } from '../contract.js';
import { MvccStore } from '../mvcc.js';
import { assertReadable, markClosed, markOpen } from './lmdb-check.js';
import { LmdbJournal } from './lmdb-journal.js';
import { takeFolder } from './single-writer.js';

/**
 * Opens the durable store in a folder, creating it where there is none. One process at a time may have it open. Rejects with
 * `StoreUnavailable` when it cannot be read or is in use; the message says what to do.
 */
export async function openLmdbStore(dir: string): Promise<Store> {
  await mkdir(dir, { recursive: true });
  const release = takeFolder(dir);
  try {
    await assertReadable(dir);
    const onClosed = async (): Promise<void> => {
      await markClosed(dir);
      release();
    };
    const store = new MvccStore(LmdbJournal.open(dir, { onClosed }));
    await markOpen(dir);
    return store;
  } catch (error) {
    release();
    throw error;
  }
}
