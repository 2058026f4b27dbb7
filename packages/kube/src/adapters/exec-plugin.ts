import { spawn } from 'node:child_process';
import type { Runtime } from '@outrigger/core';
import { ConfigError, type ConnectionConfig, type ExecPlugin } from '../kubeconfig/connection.js';
import { type ExecCredential, execInfo, parseExecCredential } from '../kubeconfig/exec-credential.js';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1_048_576;

export interface ExecContext {
  readonly config: ConnectionConfig;
  readonly caData: string | undefined;
  readonly runtime: Runtime;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs a credential plugin once. Error messages quote the standard error of the plugin, shortened, but never its standard output. */
export async function runExecPlugin(plugin: ExecPlugin, context: ExecContext): Promise<ExecCredential> {
  if (plugin.interactiveMode === 'Always') {
    throw new ConfigError(`credential plugin ${plugin.command}: it needs a terminal (interactiveMode: Always), and there is none here`);
  }
  const own = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]));
  const info = execInfo(plugin, context.config, context.caData, false);
  const env = { ...context.env, ...own, KUBERNETES_EXEC_INFO: info };
  return parseExecCredential(plugin, await run(plugin, env, context.runtime));
}

function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, runtime: Runtime): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const fail = (problem: string, cause?: unknown): void => {
      child.kill('SIGKILL');
      reject(new ConfigError(`credential plugin ${plugin.command}: ${problem}`, { cause }));
    };
    const cancel = runtime.timers.after(TIMEOUT_MS, () => fail(`no answer within ${TIMEOUT_MS / 1000} s`));
    const stdout = collect(child.stdout, () => fail(`it wrote more than ${MAX_OUTPUT_BYTES} bytes`));
    const stderr = collect(child.stderr, () => undefined);
    child.once('error', (error: NodeJS.ErrnoException) => {
      cancel();
      const hint = plugin.installHint ? ` ${plugin.installHint.trim().split('\n')[0]}` : '';
      fail(error.code === 'ENOENT' ? `not found: install it or put it on the PATH.${hint}` : error.message, error);
    });
    child.once('close', (code, signal) => {
      cancel();
      if (code === 0) resolve(stdout());
      else fail(`it ended with ${code ?? signal}: ${firstLine(stderr())}`);
    });
  });
}

function collect(stream: NodeJS.ReadableStream, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function firstLine(text: string): string {
  const line = text.split('\n').find((it) => it.trim() !== '') ?? 'it said nothing';
  return line.trim().slice(0, 200);
}
