import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

export interface FolderOptions {
  /**
   * Decides from the file names in an existing folder whether the folder belongs to Outrigger. Outrigger does not change the mode of any
   * other folder, and rejects such a folder if other users could replace files in it. By default, every folder belongs to Outrigger.
   */
  readonly isOurs?: (names: readonly string[]) => boolean;
  /** Whether the path may be a symbolic link, for folders that a user specifies. By default, a symbolic link is rejected. */
  readonly mayBeLink?: boolean;
}

/**
 * Creates a folder that only its owner can use, or restricts an existing one. Rejects symbolic links and folders of other users, which
 * could redirect or expose the data.
 */
export async function privateFolder(path: string, { isOurs = () => true, mayBeLink = false }: FolderOptions = {}): Promise<void> {
  await makeFolder(path);
  const place = mayBeLink ? await targetOf(path) : path;
  const found = await lstat(place);
  if (found.isSymbolicLink()) throw new Error(`${path} is a symbolic link: remove it, or name the folder it leads to`);
  if (!found.isDirectory()) throw new Error(`${path} is no folder`);
  assertOwned(path, found.uid);
  if ((found.mode & OTHERS) === 0) return;
  if (isOurs(await readdir(place))) return chmod(place, FOLDER_MODE);
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0 && (found.mode & STICKY) === 0) {
    throw new Error(`${path} holds other files and can be changed by other users: choose an empty folder`);
  }
}

/** Returns the path that a symbolic link leads to, or the path itself if it is no link. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ELOOP')) throw error;
    throw new Error(`${path} is a symbolic link that leads nowhere: create the folder it leads to, or remove the link`, { cause: error });
  }
}

/**
 * Creates a folder and its parents. This does not use Node.js' recursive mkdir, which never returns for a path in a folder that cannot have
 * new entries, such as /proc.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    // If the path exists, the caller checks that it is a folder.
    if (hasCode(error, 'EEXIST')) return;
    const parent = dirname(path);
    if (!hasCode(error, 'ENOENT')) throw error;
    if (parent === path || (await exists(parent))) throw new Error(`${path} cannot be created in ${parent}: choose another folder`);
    await makeFolder(parent);
    await makeFolder(path);
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}

/**
 * Writes a file that only its owner can read. Anything that exists at `path` (a file with another mode, a symbolic or a hard link) is
 * replaced, never followed. Readers see either the old or the new content. With `isDurable`, this holds even after a crash.
 */
export async function writePrivate(
  path: string,
  content: string,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.new`);
  const file = await open(draft, 'wx', FILE_MODE);
  try {
    await file.writeFile(content);
    if (isDurable) await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined); // Ignore this error: the file is closed already, or `error` is more relevant.
    await rm(draft, { force: true });
    throw error;
  }
  if (isDurable) await syncFolder(dirname(path));
}

/**
 * Reads a file, after restricting it to its owner if other users have access to it. Resolves with undefined if the file does not exist.
 * Rejects links, and files of other users.
 */
export async function readPrivate(path: string): Promise<string | undefined> {
  const file = await openOwn(path, constants.O_RDONLY);
  if (!file) return undefined;
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Opens a private log file for appending. */
export async function appendPrivate(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
  const file = await openOwn(path, flags);
  if (!file) throw new Error(`${path} cannot be created`);
  return file;
}

/** Restricts a file to its owner, if the file exists. Other parts of the program may have the file open. */
export async function makePrivate(path: string): Promise<void> {
  const file = await openOwn(path, constants.O_RDONLY);
  await file?.close();
}

async function openOwn(path: string, flags: number): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, FILE_MODE);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'ELOOP')) throw new Error(`${path} is a symbolic link: remove it`, { cause: error });
    throw error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is no file`);
    if (found.nlink > 1) throw new Error(`${path} has another name (a hard link): remove it`);
    assertOwned(path, found.uid);
    if ((found.mode & OTHERS) !== 0) await file.chmod(FILE_MODE);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function assertOwned(path: string, uid: number): void {
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) throw new Error(`${path} belongs to another user`);
}

/** Makes the rename of a file in this folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
