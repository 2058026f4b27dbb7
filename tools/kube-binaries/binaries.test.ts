import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBinary, isOnPath, pinnedVersions } from './binaries.js';
import { withLock } from './lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outrigger-binaries-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function place(...path: string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  return file;
}

describe('finding a binary', () => {
  it('prefers the folder KUBEBUILDER_ASSETS names', async () => {
    const provided = place('assets', 'etcd');
    expect(await findBinary('etcd', { KUBEBUILDER_ASSETS: join(folder, 'assets') })).toBe(provided);
  });
  it('takes one that was built for these versions', async () => {
    const { kubernetes, etcd } = pinnedVersions();
    const built = place('cache', 'outrigger', `kube-${kubernetes}-etcd-${etcd}`, 'bin', 'etcd');
    expect(await findBinary('etcd', { XDG_CACHE_HOME: join(folder, 'cache') })).toBe(built);
  });
  it.each([
    { env: { PATH: '' }, message: /^etcd is missing: KUBEBUILDER_ASSETS is not set and there is no Go toolchain on PATH/ },
    { env: { PATH: '', KUBEBUILDER_ASSETS: '/nowhere' }, message: /^etcd is missing: etcd is not in KUBEBUILDER_ASSETS \(\/nowhere\)/ },
  ])('says in one line what is missing with $env', async ({ env, message }) => {
    const failure = await findBinary('etcd', { ...env, XDG_CACHE_HOME: folder }).catch((error: Error) => error.message);
    expect(failure).toMatch(message);
    expect(failure).not.toContain('\n');
  });
  it('looks for programs on PATH', () => {
    place('bin', 'tool');
    expect(isOnPath('tool', { PATH: `/nowhere:${join(folder, 'bin')}` })).toBe(true);
    expect(isOnPath('tool', { PATH: '/nowhere' })).toBe(false);
  });
});

describe('the lock', () => {
  const silent = (): void => undefined;

  it('lets one holder in at a time', async () => {
    const events: string[] = [];
    const hold = (name: string): Promise<void> =>
      withLock(join(folder, 'lock'), silent, async () => {
        events.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        events.push(`${name} out`);
      });
    await Promise.all([hold('a'), hold('b')]);
    expect(events.map((event) => event.slice(2))).toEqual(['in', 'out', 'in', 'out']);
  });
  it('is released when the task fails', async () => {
    const path = join(folder, 'lock');
    await expect(withLock(path, silent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(path, silent, () => Promise.resolve('in'))).toBe('in');
  });
  it('is taken over from a process that is gone', async () => {
    place('lock', 'pid');
    writeFileSync(join(folder, 'lock', 'pid'), '2147483646');
    expect(await withLock(join(folder, 'lock'), silent, () => Promise.resolve('in'))).toBe('in');
  });
});
