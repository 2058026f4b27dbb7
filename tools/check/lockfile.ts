import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.js';

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
}

/**
 * Returns the lockfile entries that pin a download URL, which would fail with another registry. The `resolved` of a workspace is its
 * folder, which is allowed.
 */
export function entriesWithAddress(lockfile: Lockfile): string[] {
  return Object.entries(lockfile.packages).flatMap(([name, { resolved = '' }]) => (/^[a-z+]+:|^git@/.test(resolved) ? [name] : []));
}

export function checkLockfile(): string[] {
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
  return entriesWithAddress(lockfile).map((name) => `package-lock.json: ${name} names a download address (.npmrc prevents it)`);
}
