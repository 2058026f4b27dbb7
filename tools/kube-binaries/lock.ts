import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 500;
/**
 * A holder writes its pid right after creating the folder. If a folder has had no pid for this long, its holder died before it wrote one.
 */
const UNCLAIMED_MS = 10_000;

/**
 * Runs `task` while holding the folder `path` as a lock between processes. A lock whose holder is no longer running is taken over.
 */
export async function withLock<T>(path: string, report: (line: string) => void, task: () => Promise<T>): Promise<T> {
  let waited = false;
  while (!(await acquire(path))) {
    if (await isAbandoned(path)) {
      await rm(path, { recursive: true, force: true });
      continue;
    }
    if (!waited) report('another process is building, waiting for it');
    waited = true;
    await sleep(POLL_MS);
  }
  try {
    return await task();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function acquire(path: string): Promise<boolean> {
  try {
    await mkdir(path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  await writeFile(join(path, 'pid'), String(process.pid));
  return true;
}

async function isAbandoned(path: string): Promise<boolean> {
  const pid = await readFile(join(path, 'pid'), 'utf8').catch(() => '');
  if (pid !== '') return !isRunning(Number(pid));
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > UNCLAIMED_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
