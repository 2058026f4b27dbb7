import type { Runtime } from '@outrigger/core';
import { memoryVault, type Vault } from './auth/credentials.js';
import type { Store } from './store/contract.js';
import { MemoryStore } from './store/memory.js';

/** Where objects and keys are kept: for the life of the process, or in a folder. */
export type Storage = 'memory' | { readonly dir: string };

export async function openStorage(_runtime: Runtime, storage: Storage): Promise<{ readonly store: Store; readonly vault: Vault }> {
  if (storage === 'memory') return { store: new MemoryStore(), vault: memoryVault() };
  throw new Error('durable storage is not available');
}
