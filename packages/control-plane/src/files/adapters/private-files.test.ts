import { chmod, link, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealRuntime } from '@outrigger/kube/node';
import { createControlPlane } from '../../assemble.js';
import { appendPrivate, privateFolder, readPrivate, writePrivate } from './private-files.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outrigger-private-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;
const at = (name: string): string => join(dir, name);

/** The possible states of the path before a file is written there. */
const BEFORE: readonly [name: string, prepare: (path: string) => Promise<void>][] = [
  ['nothing', async () => undefined],
  ['a file anyone can read', async (path) => writeFile(path, 'old', { mode: 0o644 })],
  ['a file anyone can write', async (path) => writeFile(path, 'old').then(() => chmod(path, 0o666))],
  ['a file without write permission', async (path) => writeFile(path, 'old').then(() => chmod(path, 0o400))],
  ['a symbolic link to a file', async (path) => writeFile(at('victim'), 'victim').then(() => symlink(at('victim'), path))],
  ['a symbolic link to nothing', async (path) => symlink(at('nowhere'), path)],
  ['a hard link', async (path) => writeFile(at('victim'), 'victim').then(() => link(at('victim'), path))],
];

describe('AT-58 a private file', () => {
  it.each(BEFORE)('replaces %s and is private', async (_name, prepare) => {
    await prepare(at('kubeconfig'));
    await writePrivate(at('kubeconfig'), 'secret');
    expect((await lstat(at('kubeconfig'))).isFile()).toBe(true);
    expect(await modeOf(at('kubeconfig'))).toBe(0o600);
    expect(await readFile(at('kubeconfig'), 'utf8')).toBe('secret');
    for (const elsewhere of ['victim', 'nowhere']) expect(await readFile(at(elsewhere), 'utf8').catch(() => '')).not.toBe('secret');
  });

  it('written by many writers at once has the complete content of one of them, without temporary files', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(10_000));
    await Promise.all(texts.map((text) => writePrivate(at('kubeconfig'), text)));
    expect(texts).toContain(await readFile(at('kubeconfig'), 'utf8'));
    expect(await modeOf(at('kubeconfig'))).toBe(0o600);
    expect((await import('node:fs')).readdirSync(dir)).toEqual(['kubeconfig']);
  });

  it('is made private when it is read or appended to, and links are refused', async () => {
    await writeFile(at('key'), 'secret', { mode: 0o644 });
    expect(await readPrivate(at('key'))).toBe('secret');
    expect(await modeOf(at('key'))).toBe(0o600);
    await chmod(at('key'), 0o664);
    await (await appendPrivate(at('key'))).close();
    expect(await modeOf(at('key'))).toBe(0o600);
    await symlink(at('key'), at('link'));
    await expect(readPrivate(at('link'))).rejects.toThrow('is a symbolic link');
    await expect(appendPrivate(at('link'))).rejects.toThrow('is a symbolic link');
    await link(at('key'), at('hard'));
    await expect(readPrivate(at('hard'))).rejects.toThrow('hard link');
    expect(await readPrivate(at('absent'))).toBeUndefined();
  });
});

describe('AT-58 a private folder', () => {
  it.each([0o755, 0o777, 0o770, 0o711])('of mode %o ends private', async (mode) => {
    await mkdir(at('data'));
    await chmod(at('data'), mode);
    await privateFolder(at('data'));
    expect(await modeOf(at('data'))).toBe(0o700);
  });
  it('is created with its parents', async () => {
    await privateFolder(at('a/b'));
    expect([await modeOf(at('a')), await modeOf(at('a/b'))]).toEqual([0o700, 0o700]);
  });
  it('is not a symbolic link, unless links are allowed', async () => {
    await mkdir(at('real'), { mode: 0o755 });
    await symlink(at('real'), at('link'));
    await expect(privateFolder(at('link'))).rejects.toThrow('is a symbolic link');
    await privateFolder(at('link'), { mayBeLink: true });
    expect(await modeOf(at('real'))).toBe(0o700);
    await symlink(at('nowhere'), at('dangling'));
    await expect(privateFolder(at('dangling'))).rejects.toThrow('is a symbolic link');
    await symlink(at('loop'), at('loop'));
    for (const name of ['dangling', 'loop'])
      await expect(privateFolder(at(name), { mayBeLink: true })).rejects.toThrow(
        `${at(name)} is a symbolic link that leads nowhere: create`,
      );
  });
  it('with other files keeps its mode, and is refused if other users could replace our files', async () => {
    await writeFile(at('other'), '');
    await chmod(dir, 0o755);
    await privateFolder(dir, { isOurs: () => false });
    expect(await modeOf(dir)).toBe(0o755);
    await chmod(dir, 0o777);
    await expect(privateFolder(dir, { isOurs: () => false })).rejects.toThrow('choose an empty folder');
  });
});

describe('AT-58 the folder of a control plane', () => {
  const runtime = createRealRuntime();

  async function everything(folder: string): Promise<readonly (readonly [path: string, mode: number])[]> {
    const { readdir } = await import('node:fs/promises');
    const entries = await readdir(folder, { recursive: true });
    return Promise.all(entries.map(async (entry) => [entry, (await stat(join(folder, entry))).mode & 0o777] as const));
  }

  it('becomes private with its content, regardless of the previous modes, and starts again', async () => {
    const storage = { dir: at('plane') };
    const first = await createControlPlane({ runtime, storage });
    await first.start();
    await first.stop();
    for (const [entry, mode] of await everything(at('plane'))) await chmod(join(at('plane'), entry), mode === 0o700 ? 0o755 : 0o666);
    await chmod(at('plane'), 0o777);
    const second = await createControlPlane({ runtime, storage });
    await second.start();
    const modes = await everything(at('plane'));
    await second.stop();
    expect(await modeOf(at('plane'))).toBe(0o700);
    expect(modes.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([]);
    expect(modes.length).toBeGreaterThan(4);
  });

  it.each(['store', 'pki'])('refuses a link in place of %s', async (name) => {
    await mkdir(at('elsewhere'));
    await mkdir(at('plane'), { mode: 0o700 });
    await symlink(at('elsewhere'), join(at('plane'), name));
    await expect(createControlPlane({ runtime, storage: { dir: at('plane') } })).rejects.toThrow('is a symbolic link');
  });

  it('refuses a link in place of the database', async () => {
    await mkdir(join(at('plane'), 'store'), { recursive: true, mode: 0o700 });
    await writeFile(at('victim'), '');
    await symlink(at('victim'), join(at('plane'), 'store', 'data.mdb'));
    await expect(createControlPlane({ runtime, storage: { dir: at('plane') } })).rejects.toThrow('is a symbolic link');
  });
});
