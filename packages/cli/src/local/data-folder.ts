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
