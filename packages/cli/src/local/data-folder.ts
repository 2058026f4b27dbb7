import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@outrigger/core';
import { CommandError, EXIT } from '../failure.js';

/** Explanations of the system's error codes. Messages show them after the path to which the error refers. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission for it',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder where a file is expected',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ELOOP: 'a symbolic link in the path leads to itself',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'this process has too many open files',
};

/** Runs `work` on the data folder. Reports a file-system error as one sentence with the path, the problem and the remedy. */
export async function usable<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CommandError(`cannot keep data in ${dataDir}: ${problemOf(cause)}: choose another --data-dir`, EXIT.failed, { cause });
  }
}

function problemOf(error: unknown): string {
  const { code = '', path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const problem = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined;
  if (problem === undefined) return errorMessage(error);
  return `${path === undefined ? '' : `${path}: `}${problem} (${code})`;
}

/** The files and folders that `outrigger up` creates. `isOwnName` also accepts temporary files that a crash may have left. */
const OWN_NAMES = ['hub', 'clusters', 'kubeconfig', 'hub.port', 'console.port', 'outrigger.pid', 'outrigger.log'];

/** The file that shows that `outrigger up` has used a folder. */
const MARK = 'hub.port';

export function isOwnName(name: string): boolean {
  return OWN_NAMES.includes(name) || /^\..*\.new$/.test(name);
}

/**
 * Fails if the folder contains files of the user and was never a data folder. Without this check, a reset would delete a user's folder
 * named `hub` or `clusters`, because `outrigger up` uses the same names.
 */
export async function requireOwnFolder(dataDir: string): Promise<void> {
  const names: readonly string[] = await readdir(dataDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const other = names.find((name) => !isOwnName(name) && !isHarmless(name));
  if (other !== undefined && !names.includes(MARK)) throw new Error(`it holds other files, such as ${other}`);
}

/**
 * Whether a data folder may contain this file although `outrigger up` did not create it: a hidden file, such as that of a file manager, or
 * the folder `lost+found` of a new file system.
 */
function isHarmless(name: string): boolean {
  return name.startsWith('.') || name === 'lost+found';
}

/** Removes the files of previous runs from a folder that `requireOwnFolder` has accepted. */
export async function removeOwnFiles(dataDir: string): Promise<void> {
  for (const name of (await readdir(dataDir)).filter(isOwnName)) await rm(join(dataDir, name), { recursive: true, force: true });
}
