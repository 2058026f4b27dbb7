import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

type Environment = Readonly<Record<string, string | undefined>>;

export interface Prometheus {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * Finds Prometheus and promtool: on PATH if both exist there, otherwise in the cache, where Debian's package is unpacked once without
 * installing it. Rejects with one line that says what is missing.
 */
export async function findPrometheus(env: Environment = process.env): Promise<Prometheus> {
  const folders = [...(env['PATH'] ?? '').split(delimiter), cacheFolder(env)];
  const found = folders.map(binariesIn).find(({ prometheus, promtool }) => existsSync(prometheus) && existsSync(promtool));
  if (found) return found;
  await unpack(cacheFolder(env));
  return binariesIn(cacheFolder(env));
}

function cacheFolder(env: Environment): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrigger', 'prometheus');
}

function binariesIn(folder: string): Prometheus {
  return { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
}

async function unpack(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-prometheus-'));
  try {
    await download(folder);
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt-get downloaded no package');
    await run('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: folder });
    await mkdir(join(target, '..'), { recursive: true });
    await rename(join(folder, 'unpacked/usr/bin'), target).catch(async (error: unknown) => {
      // Another process may have filled the cache first, or the cache may be on another file system.
      if (existsSync(binariesIn(target).promtool)) return;
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      await run('cp', ['-r', join(folder, 'unpacked/usr/bin'), target]);
    });
  } catch (error) {
    throw new Error(`prometheus is missing: it is not on PATH and Debian's package cannot be fetched (${String(error)})`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Downloads the package. If that fails, updates the package lists and tries again, because a machine that never ran `apt-get update` has
 * none.
 */
async function download(folder: string): Promise<void> {
  const fetch = (): Promise<unknown> => run('apt-get', ['download', 'prometheus'], { cwd: folder });
  await fetch().catch(async () => {
    await run('apt-get', ['update', '-qq']);
    await fetch();
  });
}
