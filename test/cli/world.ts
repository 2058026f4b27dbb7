import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandContext, type LocalFleet, recordingTerminal, runProgram, startLocalFleet } from '@outrigger/cli';
import type { Runtime } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { type Eventually, type Patience, eventually } from '../world/eventually.js';

/** A wait ends before most tests reach their own limit, so that the error of a failed test names the condition that did not become true. */
const PATIENCE: Patience = { everyMs: 100, limitMs: 45_000 };

/** A local fleet, and functions that run command lines against it. */
export interface CliWorld {
  readonly fleet: LocalFleet;
  readonly runtime: Runtime;
  readonly folder: string;
  readonly kubeconfig: string;
  /** Runs one command line in this process. */
  outrigger(...args: readonly string[]): Promise<Ran>;
  readonly eventually: Eventually;
  stop(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly note: string;
}

export async function startCliWorld(clusters: number): Promise<CliWorld> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'fatal' as never }) });
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-cli-'));
  const fleet = await startLocalFleet({ runtime, clusters, port: 0, clusterPorts: 0, readyAfterMs: 50 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig);
  return {
    fleet,
    runtime,
    folder,
    kubeconfig,
    outrigger: (...args) => runCommand(args, runtime, { KUBECONFIG: kubeconfig }),
    eventually: (what, condition) => eventually({ ...runtime, patience: PATIENCE }, what, condition),
    async stop() {
      await fleet.stop();
      runtime.scope.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs one command line without a hub. */
export async function runCommand(
  args: readonly string[],
  runtime: Runtime,
  env: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Ran> {
  const { written, ended } = startCommand(args, runtime, env, signal);
  const code = await ended;
  return { code, ...written };
}

/** Starts one command line without a hub. Its output can be read while it runs. */
export function startCommand(
  args: readonly string[],
  runtime: Runtime,
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
): { readonly written: { readonly out: string; readonly note: string }; readonly ended: Promise<number> } {
  const terminal = recordingTerminal();
  const context: CommandContext = {
    terminal,
    env,
    signal,
    runtime: async () => runtime,
    stdin: async () => '',
  };
  return { written: terminal.written, ended: runProgram(args, context) };
}

/**
 * Returns functions that run commands with one kubeconfig. `outrigger` runs a command and waits until it exits; `start` starts a command
 * and returns a function that stops the command.
 */
export function commandsWith(
  kubeconfig: string,
  runtime: Runtime,
): { outrigger(...args: readonly string[]): Promise<Ran>; start(...args: readonly string[]): () => Promise<number> } {
  const env = { KUBECONFIG: kubeconfig };
  return {
    outrigger: (...args) => runCommand(args, runtime, env),
    start: (...args) => {
      const controller = new AbortController();
      const { ended } = startCommand(args, runtime, env, controller.signal);
      return () => {
        controller.abort();
        return ended;
      };
    },
  };
}
