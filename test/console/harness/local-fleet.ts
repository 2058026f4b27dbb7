// Runs `outrigger up` as a user starts it: the bundled command in a separate process, with a data folder that is deleted afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LocalFleet {
  /** The one-time URL of the console. */
  readonly address: string;
  readonly origin: string;
  readonly kubeconfig: string;
  /** Runs the command against this hub and returns its output. */
  readonly outrigger: (...args: string[]) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Starts a fleet with the bundled command in `file`. */
export async function startLocalFleet(file: string, clusters: number): Promise<LocalFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-console-'));
  const up = spawn(process.execPath, [file, 'up', '--data-dir', folder, '--clusters', String(clusters)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => up.once('exit', () => resolve()));
  const address = await addressIn(up);
  const kubeconfig = join(folder, 'kubeconfig');
  return {
    address,
    origin: new URL(address).origin,
    kubeconfig,
    outrigger: (...args) => output(file, args, kubeconfig),
    async stop() {
      up.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the URL that `up` prints, after it has printed that the fleet is ready. */
function addressIn(up: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const addresses = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]+/g)];
      if (/Ctrl-C stops it/.test(text) && addresses.length > 0) resolve(addresses.at(-1)?.[0] ?? '');
    };
    up.stdout?.on('data', hear);
    up.stderr?.on('data', hear);
    up.once('exit', (code) => reject(new Error(`outrigger up ended with ${code}:\n${text}`)));
  });
}

function output(file: string, args: readonly string[], kubeconfig: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, KUBECONFIG: kubeconfig } });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`outrigger ${args.join(' ')} ended with ${code}:\n${text}`)),
    );
  });
}
