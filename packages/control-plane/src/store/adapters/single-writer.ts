import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPrivate, writePrivate } from '../../files/adapters/private-files.js';
import { StoreUnavailable } from '../contract.js';

const CLAIM = /^claim-(\d+)-(\d*)-[0-9a-f]+$/;
/** The time between two checks for the claims of other processes. A process holds its claim for only a few milliseconds. */
const CLAIM_POLL_MS = 5;
const CLAIM_POLLS = 1000;

/**
 * Locks a folder for this process, because two writers would assign the same revisions. The lock of a process that has died does not block
 * the next one. Returns the function that releases the lock.
 */
export async function takeFolder(dir: string): Promise<() => void> {
  const path = join(dir, 'owner');
  const withdraw = await claim(dir);
  try {
    const holder = parseHolder(await readPrivate(path));
    if (holder && isAlive(holder)) throw inUse(dir, holder);
    await writePrivate(path, `${process.pid} ${startOf(process.pid) ?? ''}`);
  } finally {
    withdraw();
  }
  return () => rmSync(path, { force: true });
}

/**
 * Ensures that only one process at a time reads the lock and replaces it. Each process first writes a claim and then reads the claims of
 * the others, so of two processes that start together, at least one finds the claim of the other. The process whose claim has the smaller
 * name waits until the others give up.
 */
async function claim(dir: string): Promise<() => void> {
  const own = `claim-${process.pid}-${startOf(process.pid) ?? ''}-${randomBytes(6).toString('hex')}`;
  const withdraw = (): void => rmSync(join(dir, own), { force: true });
  await writePrivate(join(dir, own), '');
  for (let poll = 0; poll < CLAIM_POLLS; poll++) {
    const others = readdirSync(dir).filter((name) => name !== own && CLAIM.test(name) && isStanding(dir, name));
    const [first] = others;
    if (first === undefined) return withdraw;
    if (others.some((name) => name < own)) {
      withdraw();
      throw inUse(dir, holderOf(first));
    }
    await sleep(CLAIM_POLL_MS);
  }
  withdraw();
  throw new StoreUnavailable(`the store in ${dir} is being opened by another process. Stop that process, or use another folder.`);
}

/** Whether a claim belongs to a running process. Removes the claim of a process that has died. */
function isStanding(dir: string, name: string): boolean {
  if (isAlive(holderOf(name))) return true;
  rmSync(join(dir, name), { force: true });
  return false;
}

function holderOf(name: string): Holder {
  const [, pid = '', start = ''] = CLAIM.exec(name) ?? [];
  return { pid: Number(pid), start };
}

function inUse(dir: string, { pid }: Holder): StoreUnavailable {
  return new StoreUnavailable(`the store in ${dir} is in use by process ${pid}. Stop that process, or use another folder.`);
}

interface Holder {
  readonly pid: number;
  /**
   * The time at which the process started, if the system reports it. It distinguishes the process from a later one with the same process
   * ID.
   */
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
    return false; // There is no such process.
  }
}

/** Returns the start time of a process in clock ticks since boot, or undefined for a process that has ended, including a zombie. */
function startOf(pid: number): string | undefined {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return undefined;
  // The process name is in parentheses and may contain any characters. The state and the other fields follow it.
  const text = readFileSync(stat, 'utf8');
  const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : rest[18];
}
