import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.js';

/** Matches home folders of real users, and folders of checkouts. Files should use `~` or a relative path instead; examples use /home/me. */
const MACHINE_PATH = /(?<![\w.~$}-])\/(?:work|root|Users|home)\/(?!me\b)[\w.-]+/g;

/** Returns `line: path` for every machine path in a text. */
export function machinePaths(text: string): string[] {
  return text.split('\n').flatMap((line, index) => [...line.matchAll(MACHINE_PATH)].map(([path]) => `${index + 1}: ${path}`));
}

/** Checks every file that is tracked or not ignored by git, except this check's own tests. */
export function checkMachinePaths(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && !file.startsWith('tools/check/'));
  return files
    .filter(isFile)
    .flatMap((file) => machinePaths(readFileSync(join(ROOT, file), 'utf8')).map((mention) => `${file}:${mention}`));
}

/** Whether a listed path is a file. Files that are deleted in the working tree are still listed, and symbolic links contain no text. */
function isFile(file: string): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && lstatSync(path).isFile();
}
