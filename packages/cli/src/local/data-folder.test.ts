import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../failure.js';
import { markFolder, removeOwnFiles, requireOwnFolder, usable } from './data-folder.js';

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
    { what: 'a folder with a kubeconfig of its own', names: ['kubeconfig'], other: 'kubeconfig' },
    { what: 'a folder of clusters', names: ['clusters/', 'clusters/east.yaml'], other: 'clusters' },
    { what: 'a repository with a folder hub', names: ['.git/', 'hub/', 'hub/main.go'], other: 'hub' },
    { what: 'a repository with an empty folder hub', names: ['.git/', 'hub/'], other: 'hub' },
    { what: 'a folder with a file hub', names: ['hub'], other: 'hub' },
    { what: 'a folder hub with keys and other files', names: ['hub/', 'hub/pki/', 'hub/main.tf'], other: 'hub' },
    { what: 'a project that looks like an interrupted start', names: ['hub/', 'hub/pki/', 'main.tf'], other: 'main.tf' },
  ])('is refused, and left as it is: $what', ({ names, other }) =>
    folderWith(names, async (folder) => {
      await expect(usable(folder, () => requireOwnFolder(folder))).rejects.toThrow(
        `cannot keep data in ${folder}: it holds other files, such as ${other}: choose another --data-dir`,
      );
      expect((await readdir(folder, { recursive: true })).sort()).toEqual(names.map((name) => name.replace(/\/$/, '')).sort());
    }),
  );

  it.each([
    { what: 'empty', names: [] },
    { what: 'of a first start that was killed', names: ['hub/', 'outrigger.pid'] },
    { what: 'of an interrupted first start', names: ['hub/', 'clusters/', 'hub.port', 'outrigger.log'] },
    { what: 'of a first start that failed in the background', names: ['outrigger.log'] },
    { what: 'of a start, with a file that the user added', names: ['hub/', 'clusters/', 'hub.port', 'kubeconfig', 'notes'] },
    { what: 'on a new volume', names: ['lost+found/', '.DS_Store'] },
  ])('is accepted: $what', ({ names }) => folderWith(names, (folder) => requireOwnFolder(folder)));

  it('that does not exist is accepted', () => requireOwnFolder('/nonexistent/outrigger'));

  it('is ours from the start on, whatever the user adds to it', () =>
    folderWith([], async (folder) => {
      await markFolder(folder);
      await markFolder(folder);
      await writeFile(join(folder, 'notes'), '');
      await requireOwnFolder(folder);
      expect((await stat(join(folder, 'hub.port'))).mode & 0o077).toBe(0);
    }));

  it('loses only our files in a reset', () =>
    folderWith(
      [
        'hub/',
        'clusters/',
        'hub.port',
        'console.port',
        'kubeconfig',
        'notes',
        '.notes.new',
        '.notes.1a.new',
        '.kubeconfig.1a.new',
        'outrigger.pid',
      ],
      async (folder) => {
        await writeFile(join(folder, 'hub.port'), '6443');
        expect(await removeOwnFiles(folder)).toEqual(['.kubeconfig.1a.new', 'clusters', 'console.port', 'hub', 'kubeconfig']);
        // The mark stays, so that the next start accepts the folder with the user's files. The process file goes when the process ends.
        expect(await readdir(folder)).toEqual(['.notes.1a.new', '.notes.new', 'hub.port', 'notes', 'outrigger.pid']);
        expect(await readFile(join(folder, 'hub.port'), 'utf8')).toBe('');
        await requireOwnFolder(folder);
        expect(await removeOwnFiles(folder)).toEqual([]);
      },
    ));
});
