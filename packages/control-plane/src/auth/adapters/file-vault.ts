import { join } from 'node:path';
import { privateFolder, readPrivate, writePrivate } from '../../files/adapters/private-files.js';
import type { Vault } from '../credentials.js';

/** Stores keys in files that only their owner can read. Each write is atomic, even if the process crashes. */
export function fileVault(folder: string): Vault {
  return {
    read: (name) => readPrivate(join(folder, name)),
    async write(name, content) {
      await privateFolder(folder);
      await writePrivate(join(folder, name), content, { isDurable: true });
    },
  };
}
