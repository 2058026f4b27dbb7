import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registerEvidence } from '../harness/evidence.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const MAIN: string = join(ROOT, 'packages/cli/dist/bundle/main.js');

/** Bundles the command from this repository's sources, so that the tests run the same bundle that a user installs. */
export async function bundleCommand(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'tools/bundle.mjs')], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`tools/bundle.mjs ended with ${code}`);
}

const PATIENCE_MS = 120_000;

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly note: string;
}

/** Runs one command and waits until it exits. */
export async function outrigger(kubeconfig: string, ...args: readonly string[]): Promise<Ran> {
  const running = start(kubeconfig, args);
  const code = await running.ended;
  return { code, ...running.written };
}

/** A command that runs until it is stopped, such as `hub` and `agent`. */
export interface Running {
  readonly pid: number;
  readonly written: { out: string; note: string };
  /** Resolves when the command has printed this text. Rejects with its output if it exits first. */
  said(text: string): Promise<void>;
  /** The exit code, or null after a signal that the command did not handle. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

export function start(kubeconfig: string, args: readonly string[]): Running {
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent', KUBECONFIG: kubeconfig };
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { out: '', note: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.note += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const isLasting = args[0] === 'hub' || args[0] === 'agent';
  // The evidence stays registered until the end of the suite, because a manager that exited early may explain a failure.
  if (isLasting) registerEvidence(args[0] ?? '', (folder) => writeFile(join(folder, 'output.log'), `${written.out}${written.note}`));
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void ended.finally(() => process.off('exit', killWithUs));
  return {
    pid: child.pid ?? 0,
    written,
    ended,
    kill: (signal) => void child.kill(signal),
    said: (text) =>
      new Promise((resolve, reject) => {
        const fail = (what: string): void => reject(new Error(`${what} before it said "${text}":\n${written.out}${written.note}`));
        const limit = setTimeout(() => fail(`${PATIENCE_MS / 1000} s passed`), PATIENCE_MS);
        const look = (): void => {
          if (!`${written.out}${written.note}`.includes(text)) return;
          clearTimeout(limit);
          resolve();
        };
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        void ended.then((code) => {
          clearTimeout(limit);
          fail(`ended with ${code}`);
        });
        look();
      }),
  };
}
