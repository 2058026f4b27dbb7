import { memoryVault, type Vault } from './auth/credentials.js';
import type { Store } from './store/contract.js';
import { MemoryStore } from './store/memory.js';

/**
 * Where objects and keys are stored: in memory, in a folder, or in storage that is open already. A simulation restarts a server over the
 * storage of the server before it.
 */
export type Storage = 'memory' | { readonly dir: string } | OpenStorage;

export interface OpenStorage {
  readonly store: Store;
  readonly vault: Vault;
}

export async function openStorage(storage: Storage): Promise<OpenStorage> {
  if (typeof storage === 'object' && 'store' in storage) return storage;
  if (storage === 'memory') return { store: new MemoryStore(), vault: memoryVault() };
  const { privateFolder } = await import('./files/adapters/private-files.js');
  for (const folder of [storage.dir, `${storage.dir}/pki`]) await privateFolder(folder);
  // Load the database modules on demand, because an in-memory server does not need them.
  const [{ openLmdbStore }, { fileVault }] = await Promise.all([
    import('./store/adapters/open-lmdb-store.js'),
    import('./auth/adapters/file-vault.js'),
  ]);
  return { store: await openLmdbStore(`${storage.dir}/store`), vault: fileVault(`${storage.dir}/pki`) };
}
