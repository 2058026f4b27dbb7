import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '@outrigger/core';
import { CommandError, EXIT } from '../failure.js';
import { PROCESS_FILE } from './process-identity.js';

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

/**
 * The file that shows that `outrigger up` has used a folder. A start creates it first, and a reset empties it. Later it contains the port of
 * the hub.
 */
const MARK = 'hub.port';
const LOG = 'outrigger.log';

/** The files and folders that `outrigger up` creates. `isOwnName` also accepts temporary files that a crash may have left. */
const OWN_NAMES = ['kubeconfig', 'hub', 'clusters', 'console.port', LOG, PROCESS_FILE, MARK];

export function isOwnName(name: string): boolean {
  return OWN_NAMES.includes(name) || /^\.(?:kubeconfig|hub\.port|console\.port)\.[0-9a-f]+\.new$/.test(name);
}

/**
 * Fails if the folder contains files of the user and was never a data folder. Without this check, a start would overwrite a user's file
 * `kubeconfig`, and a reset would delete a user's folder `hub` or `clusters`, because `outrigger up` uses the same names.
 */
export async function requireOwnFolder(dataDir: string): Promise<void> {
  const names: readonly string[] = await readdir(dataDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.includes(MARK)) return;
  // A start that was killed before it created the mark has left its process file. A start in the background creates the log before that.
  const isStarted = names.includes(PROCESS_FILE);
  const others = names.filter((name) => !(isStarted ? isOwnName(name) : name === LOG) && !isHarmless(name));
  const other = others.find((name) => !isOwnName(name)) ?? others[0];
  if (other !== undefined) throw new Error(`it holds other files, such as ${other}`);
}

/** Marks a folder that `requireOwnFolder` has accepted and this process has claimed as a data folder. */
export async function markFolder(dataDir: string): Promise<void> {
  const file = await open(join(dataDir, MARK), 'a', 0o600);
  await file.close();
}

/**
 * Whether a data folder may contain this file although `outrigger up` did not create it: a hidden file, such as that of a file manager, or
 * the folder `lost+found` of a new file system.
 */
function isHarmless(name: string): boolean {
  return name.startsWith('.') || name === 'lost+found';
}

/**
 * Removes the files of previous runs from a folder that `requireOwnFolder` has accepted and this process has claimed. Returns their names.
 * The mark stays, without the port. The first file to go is the kubeconfig: without it, the next start is a first start, also if another
 * file cannot be removed.
 */
export async function removeOwnFiles(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(dataDir);
  const removed = names.filter((name) => isOwnName(name) && name !== PROCESS_FILE && name !== MARK);
  for (const name of removed.sort((a, b) => OWN_NAMES.indexOf(a) - OWN_NAMES.indexOf(b)))
    await rm(join(dataDir, name), { recursive: true, force: true });
  if (names.includes(MARK)) await emptyMark(dataDir);
  return removed.sort();
}

/** Replaces the mark by an empty file, without a moment in which it does not exist. If it is a link, the file that it leads to stays. */
async function emptyMark(dataDir: string): Promise<void> {
  const draft = join(dataDir, `.${MARK}.0.new`);
  await writeFile(draft, '', { mode: 0o600, flag: 'wx' });
  await rename(draft, join(dataDir, MARK));
}
