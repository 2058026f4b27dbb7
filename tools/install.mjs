import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** npm writes this file last, so after an incomplete install it is missing or older than the lockfile. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');

/** Installs the packages of the lockfile, unless they were installed after the lockfile last changed. */
export function install() {
  requireNode();
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(join(ROOT, 'package-lock.json')).mtimeMs) return;
  heading('install');
  run('npm', ['ci']);
}

/** Runs a program in the repository root. It writes to this process' output. If it fails, this process exits with its code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (result.error) fail(`${command}: ${result.error.message}`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Returns the path of a tool in node_modules, so that it can run without npx. */
export function bin(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

export function heading(text) {
  process.stdout.write(`\n── ${text}\n`);
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node.js 20.19 or newer is needed, this is ${process.versions.node}`);
}
