import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findBinary, isOnPath } from './binaries.js';

const run = promisify(execFile);
const OLDEST = [1, 31] as const;

/** Returns a kubectl of version 1.31 or newer: the one on PATH, otherwise the one that `findBinary` returns. */
export async function findKubectl(): Promise<string> {
  if (isOnPath('kubectl') && isNewEnough(await versionOf('kubectl'))) return 'kubectl';
  return findBinary('kubectl');
}

async function versionOf(binary: string): Promise<string> {
  const { stdout } = await run(binary, ['version', '--client', '--output=json']);
  const parsed = JSON.parse(stdout) as { clientVersion?: { gitVersion?: string } };
  return parsed.clientVersion?.gitVersion ?? '';
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
