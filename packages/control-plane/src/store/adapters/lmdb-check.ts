import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { errorMessage } from '@outrigger/core';
import { readPrivate, writePrivate } from '../../files/adapters/private-files.js';
import { StoreUnavailable } from '../contract.js';

/**
 * Checks that a store can be read. LMDB maps its file into memory without checking it, so a damaged page would crash the whole process. A
 * file that was not closed cleanly is therefore first read in a child process. Rejects with an error if the child process cannot read the
 * file.
 */
export async function assertReadable(dir: string): Promise<void> {
  const found = await fingerprint(dir);
  if (found === undefined || found === (await readPrivate(markerOf(dir)))) return;
  try {
    await readInChild(dir);
  } catch (cause) {
    throw new StoreUnavailable(
      `the store in ${dir} is damaged (reading it failed: ${errorMessage(cause).split('\n')[0]}). Restore the folder from a backup, or move it away to start empty.`,
      { cause },
    );
  }
}

/** Removes the marker of a clean close, because the file may change from now on. */
export async function markOpen(dir: string): Promise<void> {
  await rm(markerOf(dir), { force: true });
}

export async function markClosed(dir: string): Promise<void> {
  const found = await fingerprint(dir);
  if (found !== undefined) await writePrivate(markerOf(dir), found);
}

function markerOf(dir: string): string {
  return join(dir, 'closed');
}

/** Returns a value that changes whenever the file changes, or undefined if the file does not exist. */
async function fingerprint(dir: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(dir, 'data.mdb'));
    return `${size} ${mtimeMs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const READ_EVERYTHING = `
const { open } = require(process.argv[1]);
const root = open({ path: process.argv[2], readOnly: true, maxDbs: 4 });
for (const [name, encoding, compression] of [['ev', 'string', true], ['kv', 'ordered-binary', false], ['meta', 'ordered-binary', false]]) {
  const db = root.openDB({ name, encoding, compression });
  if (db) for (const { value } of db.getRange()) if (value === undefined) throw new Error('unreadable value');
}`;

function readInChild(dir: string): Promise<void> {
  const lmdb = createRequire(import.meta.url).resolve('lmdb');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', READ_EVERYTHING, lmdb, dir], { env: {} }, (error, _stdout, stderr) => {
      if (!error) resolve();
      else reject(new Error(error.signal ? `the reader died of ${error.signal}` : lastLine(stderr), { cause: error }));
    });
  });
}

function lastLine(stderr: string): string {
  return stderr.split('\n').find((line) => line.includes('Error')) ?? 'the reader failed';
}
