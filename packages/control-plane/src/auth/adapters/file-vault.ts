import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from '../credentials.js';

/** Keeps keys as files only their owner can read. A file is there whole or not at all, also after a crash. */
export function fileVault(folder: string): Vault {
  return {
    async read(name) {
      try {
        return await readFile(join(folder, name), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(name, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `.${name}.new`);
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(folder, name));
      await syncFolder(folder);
    },
  };
}

/** Makes the rename itself durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
