import { join } from 'node:path';
import { makePrivate, privateFolder } from '../../files/adapters/private-files.js';
import type { Store } from '../contract.js';
import { MvccStore } from '../mvcc.js';
import { assertReadable, markClosed, markOpen } from './lmdb-check.js';
import { LmdbJournal } from './lmdb-journal.js';
import { takeFolder } from './single-writer.js';

const DATABASE_FILES = ['data.mdb', 'lock.mdb'];

/**
 * Opens the durable store in a folder, and creates it if it does not exist. Only one process at a time may open it. Rejects with
 * `StoreUnavailable` if the store cannot be read or is in use; the message contains the remedy.
 */
export async function openLmdbStore(dir: string): Promise<Store> {
  await privateFolder(dir);
  const release = await takeFolder(dir);
  try {
    // Make the files private before the database opens them by name, and again after it may have created them.
    for (const file of DATABASE_FILES) await makePrivate(join(dir, file));
    await assertReadable(dir);
    const onClosed = async (): Promise<void> => {
      await markClosed(dir);
      release();
    };
    const store = new MvccStore(LmdbJournal.open(dir, { onClosed }));
    for (const file of DATABASE_FILES) await makePrivate(join(dir, file));
    await markOpen(dir);
    return store;
  } catch (error) {
    release();
    throw error;
  }
}
