import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendPrivate } from '@outrigger/control-plane';
import { isJsonObject, shell } from '@outrigger/core';
import { CommandError, EXIT, type ExitCode } from '../../failure.js';
import { usable } from '../../local/data-folder.js';
import type { CommandContext } from '../context.js';
import type { UpOptions } from './command.js';

const LOG = 'outrigger.log';
const MANY_CLUSTERS = 10;
/**
 * A larger young generation saves about 10 % of CPU time in garbage collection, because many clusters allocate many short-lived objects.
 */
const LARGE_SEMI_SPACE = '--max-semi-space-size=64';

/** Runs the same command in a separate process and prints the progress that the process reports. Resolves when that process is ready. */
export async function detach({ terminal, signal }: CommandContext, options: UpOptions, dataDir: string): Promise<void> {
  const log = await usable(dataDir, () => appendPrivate(join(dataDir, LOG)));
  const args = [
    ...process.execArgv,
    ...(options.clusters > MANY_CLUSTERS ? [LARGE_SEMI_SPACE] : []),
    process.argv[1] ?? '',
    'up',
    `--data-dir=${dataDir}`,
    `--clusters=${options.clusters}`,
    `--port=${options.port}`,
    `--metrics-port=${options.metricsPort}`,
    `--console-port=${options.consolePort}`,
    `--cluster-ports=${options.clusterPorts}`,
    ...(options.simulateHubWorkloads ? ['--simulate-hub-workloads'] : []),
    ...options.allowWebhookAddress.map((range) => `--allow-webhook-address=${range}`),
    ...pairArguments('--metrics-provider', options.metricsProvider),
    ...pairArguments('--notify-url', options.notifyUrl),
    ...pairArguments('--notify-key', options.notifyKey),
    ...(options.samples ? [] : ['--no-samples']),
  ];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd, 'ipc'] });
  await log.close();
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    await ready(child, (line) => terminal.note(`${line}\n`), join(dataDir, LOG));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  child.disconnect();
  child.unref();
  terminal.out(
    `ready: kubeconfig ${join(dataDir, 'kubeconfig')}, process ${child.pid}; stop it with \`${shell`outrigger down --data-dir ${options.dataDir}`}\`\n`,
  );
}

function pairArguments(flag: string, values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${flag}=${name}=${value}`);
}

function ready(child: ChildProcess, say: (line: string) => void, log: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (!isJsonObject(message)) return;
      if (typeof message['line'] === 'string') say(message['line']);
      if (message['ready'] === true) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      lastLine(log).then(
        (line) =>
          reject(
            new CommandError(`it ended before it was ready (${signal ?? `code ${code}`}): ${line}; its log is ${log}`, exitCodeOf(code)),
          ),
        reject,
      );
    });
  });
}

/** Returns the exit code of the other process if it is one of our failure codes, and otherwise `failed`. */
function exitCodeOf(code: number | null): ExitCode {
  return Object.values(EXIT).find((known) => known === code && known !== EXIT.done) ?? EXIT.failed;
}

async function lastLine(log: string): Promise<string> {
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  return (lines.at(-1) ?? '').replace(/^outrigger: /, '');
}
