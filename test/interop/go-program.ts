import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCES = fileURLToPath(new URL('.', import.meta.url));
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrigger', 'interop');
const run = promisify(execFile);

/** Builds one of the Go programs beside this file. Go caches its results, so this is fast if nothing has changed. */
export async function goProgram(name: 'clients' | 'klusterlet'): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const file = join(CACHE, name);
  await run('go', ['build', '-p', '2', '-buildvcs=false', '-o', file, `./${name}`], { cwd: SOURCES });
  return file;
}

/** Installs another project's program from its Go module, once for each version. */
export async function goTool(module: string, version: string): Promise<string> {
  const folder = join(CACHE, version);
  const file = join(folder, module.split('/').at(-1) ?? '');
  if (await stat(file).catch(() => undefined)) return file;
  await mkdir(folder, { recursive: true });
  await run('go', ['install', '-p', '2', `${module}@${version}`], { env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' } });
  return file;
}

/** Runs a program until it exits, and returns its output. */
export async function outputOf(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run(file, args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** A program that runs until it is stopped, and its output so far. */
export class GoProcess {
  readonly #child: ChildProcess;
  #said = '';

  constructor(file: string, args: readonly string[]) {
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (bytes: Buffer) => (this.#said += bytes.toString()));
  }

  get said(): string {
    return this.#said;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}
