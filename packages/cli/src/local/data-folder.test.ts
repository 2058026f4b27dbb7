import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../failure.js';
import { removeOwnFiles, requireOwnFolder, usable } from './data-folder.js';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: some words, open '${path}'`), { code, ...(path === undefined ? {} : { path }) });

it.each([
  ['EACCES', 'this user has no permission for it'],
  ['EPERM', 'the system does not permit it'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EISDIR', 'it is a folder where a file is expected'],
  ['ELOOP', 'a symbolic link in the path leads to itself'],
])('%s of the system is one sentence with the path, the problem and the remedy', async (code, problem) => {
  const failed = usable('/data', () => Promise.reject(systemError(code, '/data/outrigger.pid')));
  await expect(failed).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: `cannot keep data in /data: /data/outrigger.pid: ${problem} (${code}): choose another --data-dir`,
  });
});

it('keeps the words of other errors, and the path out of a sentence that has none', async () => {
  await expect(usable('/data', () => Promise.reject(new Error('/data belongs to another user')))).rejects.toThrow(
    'cannot keep data in /data: /data belongs to another user: choose another --data-dir',
  );
  await expect(usable('/data', () => Promise.reject(systemError('ENOSPC')))).rejects.toThrow(
    'cannot keep data in /data: the disk is full (ENOSPC): choose another --data-dir',
  );
  expect(await usable('/data', () => Promise.resolve(1))).toBe(1);
});

describe('a folder', () => {
  /** Calls `look` with a folder that contains these files and folders (names with a slash at the end). */
  async function folderWith(names: readonly string[], look: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-data-'));
    try {
      for (const name of names) await (name.endsWith('/') ? mkdir(join(folder, name)) : writeFile(join(folder, name), ''));
      await look(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it.each([
    { what: 'a project with a folder hub', names: ['hub/', 'package.json'], other: 'package.json' },
    { what: 'a home folder', names: ['.bashrc', 'clusters/', 'notes'], other: 'notes' },
    { what: 'a folder with a kubeconfig of its own', names: ['kubeconfig', 'other.yaml'], other: 'other.yaml' },
  ])('is refused, and left as it is: $what', ({ names, other }) =>
    folderWith(names, async (folder) => {
      await expect(usable(folder, () => requireOwnFolder(folder))).rejects.toThrow(
        `cannot keep data in ${folder}: it holds other files, such as ${other}: choose another --data-dir`,
      );
      expect((await readdir(folder)).sort()).toEqual(names.map((name) => name.replace('/', '')).sort());
    }),
  );

  it.each([
    { what: 'empty', names: [] },
    { what: 'of an interrupted first start', names: ['hub/', 'outrigger.pid'] },
    { what: 'of a start, with a file that the user added', names: ['hub/', 'clusters/', 'hub.port', 'kubeconfig', 'notes'] },
    { what: 'on a new volume', names: ['lost+found/', '.DS_Store'] },
  ])('is accepted: $what', ({ names }) => folderWith(names, (folder) => requireOwnFolder(folder)));

  it('that does not exist is accepted', () => requireOwnFolder('/nonexistent/outrigger'));

  it('loses only our files in a reset', () =>
    folderWith(['hub/', 'clusters/', 'hub.port', 'console.port', 'kubeconfig', 'notes', '.kubeconfig.1a.new'], async (folder) => {
      await removeOwnFiles(folder);
      expect(await readdir(folder)).toEqual(['notes']);
    }));
});
