import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@outrigger/core';

/** Which process runs a data folder. A pid alone says nothing: after a crash the system gives it to somebody else. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, in whatever unit this system tells it; equal means the same process. */
  readonly startedAt: string;
}

const FILE = 'outrigger.pid';

/** Takes the folder for this process. Resolves with the process that has it already, if one runs. */
export async function takeFolder(dataDir: string): Promise<ProcessIdentity | undefined> {
  for (;;) {
    try {
      await writeFile(join(dataDir, FILE), ownIdentity(), { mode: 0o600, flag: 'wx' });
      return undefined;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const other = await runningProcess(dataDir);
    if (other) return other;
    // Left by a process that is gone.
    await rm(join(dataDir, FILE), { force: true });
  }
}

/** Gives the folder back, if this process has it. */
export async function leaveFolder(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  if (text === ownIdentity()) await rm(join(dataDir, FILE), { force: true });
}

function ownIdentity(): string {
  const identity: ProcessIdentity = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
  return `${JSON.stringify(identity)}\n`;
}

/** The process that runs this folder now, or undefined: no file, or the process it names is gone. */
export async function runningProcess(dataDir: string): Promise<ProcessIdentity | undefined> {
  let text: string;
  try {
    text = await readFile(join(dataDir, FILE), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
  const identity = parseIdentity(text);
  return identity && isRunning(identity) ? identity : undefined;
}

/** Whether exactly this process still runs. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // half-written by a machine that lost power: nobody runs behind it
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, startedAt } = value;
  return Number.isInteger(pid) && typeof startedAt === 'string' && startedAt !== '' ? { pid: pid as number, startedAt } : undefined;
}

/** When a process started, or undefined if there is none. A zombie counts as none. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return startFromProc(pid);
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined; // ps ends with 1 where there is no such process
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    // The command name may hold anything, spaces and brackets included; what follows its last bracket is regular.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
