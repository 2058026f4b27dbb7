import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@outrigger/core';

/**
 * The process that uses a data folder. A pid alone does not identify the process, because the system may reuse the pid for another process
 * after a crash.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * The start time of the process, in the format that the operating system reports. A process with the same pid and the same start time is
   * the same process.
   */
  readonly startedAt: string;
}

/** The file in a data folder that names the process which uses the folder. */
export const PROCESS_FILE = 'outrigger.pid';

/** Claims the folder for this process. If another running process has claimed it already, resolves with that process. */
export async function takeFolder(dataDir: string): Promise<ProcessIdentity | undefined> {
  for (;;) {
    try {
      await writeFile(join(dataDir, PROCESS_FILE), ownIdentity(), { mode: 0o600, flag: 'wx' });
      return undefined;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const other = await runningProcess(dataDir);
    if (other) return other;
    // Remove the file, because the process that created it has exited.
    await rm(join(dataDir, PROCESS_FILE), { force: true });
  }
}

/** Releases the folder, if this process has claimed it. */
export async function leaveFolder(dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, PROCESS_FILE), 'utf8').catch(() => '');
  if (text === ownIdentity()) await rm(join(dataDir, PROCESS_FILE), { force: true });
}

function ownIdentity(): string {
  const identity: ProcessIdentity = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
  return `${JSON.stringify(identity)}\n`;
}

/** Returns the process that uses this folder now, or undefined if there is no file or its process has exited. */
export async function runningProcess(dataDir: string): Promise<ProcessIdentity | undefined> {
  const path = join(dataDir, PROCESS_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    // Add the path, because Node.js includes it only in errors of opening the file, not in errors of reading it.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
  const identity = parseIdentity(text);
  return identity && isRunning(identity) ? identity : undefined;
}

/** Whether exactly this process is still running. */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  const value = parseJson(text);
  // If the machine lost power while the file was being written, the text is not JSON, and no process uses the folder.
  if (!isJsonObject(value)) return undefined;
  const { pid, startedAt } = value;
  return Number.isInteger(pid) && typeof startedAt === 'string' && startedAt !== '' ? { pid: pid as number, startedAt } : undefined;
}

/** Returns the start time of a process, or undefined if the process does not exist. A zombie counts as not existing. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return startFromProc(pid);
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined; // ps exits with 1 if the process does not exist.
  }
}

function startFromProc(pid: number): string | undefined {
  try {
    // The command name may contain anything, even spaces and parentheses, so only the text after the last parenthesis is split.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
