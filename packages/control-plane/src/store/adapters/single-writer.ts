import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivate, writePrivate } from '../../files/adapters/private-files.js';
import { StoreUnavailable } from '../contract.js';

/**
 * Locks a folder for this process: two writers would each assign the next revision. The lock of a process that died does not block the next
 * one. Returns the function that releases the folder.
 */
export async function takeFolder(dir: string): Promise<() => void> {
  const path = join(dir, 'owner');
  const holder = parseHolder(await readPrivate(path));
  if (holder && isAlive(holder)) {
    throw new StoreUnavailable(`the store in ${dir} is in use by process ${holder.pid}. Stop that process, or use another folder.`);
  }
  await writePrivate(path, `${process.pid} ${startOf(process.pid) ?? ''}`);
  return () => rmSync(path, { force: true });
}

interface Holder {
  readonly pid: number;
  /** When the process started, if the system reports it: process ids are reused. */
  readonly start: string;
}

function parseHolder(text: string | undefined): Holder | undefined {
  const [pid = '', start = ''] = (text ?? '').split(' ');
  return /^\d+$/.test(pid) ? { pid: Number(pid), start } : undefined;
}

function isAlive({ pid, start }: Holder): boolean {
  if (existsSync('/proc/self/stat')) return startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}

/** In clock ticks since boot; undefined for processes that have ended, zombies included. */
function startOf(pid: number): string | undefined {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return undefined;
  // The name in parentheses may contain any characters; the state and the rest follow it.
  const text = readFileSync(stat, 'utf8');
  const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : rest[18];
}
