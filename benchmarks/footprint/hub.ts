import { setTimeout as sleep } from 'node:timers/promises';
import { namespaces } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type Contestant, startEmbeddedProcess } from '../servers/contestants.js';

export const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });

/** An embedded hub in a separate process, and a client for its administrator. */
export interface BenchHub {
  readonly server: Contestant;
  readonly kubeconfig: string;
  readonly client: Client;
  stop(): Promise<void>;
}

export async function startBenchHub(): Promise<BenchHub> {
  const server = await startEmbeddedProcess();
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfig });
  const transport = createHttpTransport(connection, runtime, { connections: 16, env: {} });
  const client = createClient({ transport, runtime, limits: { inFlight: 64 } });
  return {
    server,
    kubeconfig: server.kubeconfig,
    client,
    async stop() {
      await transport.close();
      await server.stop();
    },
  };
}

export async function ensureNamespace(client: Client, name: string): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch((error: unknown) => {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  });
}

/** Waits until `isTrue` returns true. Fails after `limitMs`, by default ten minutes. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean, limitMs = 600_000): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not after ${limitMs / 1_000} seconds`);
    await sleep(100);
  }
}

/** A process is quiet if it used at most `cpuMs` of processor time during the last `windowMs`. */
export interface Quiet {
  readonly cpuMs: number;
  readonly windowMs: number;
}

/** The limit for a manager that receives no events. */
export const ALMOST_IDLE: Quiet = { cpuMs: 20, windowMs: 1_000 };

const QUIET_LIMIT_MS = 300_000;

/**
 * Resolves with true when the process is quiet, or with false after the limit (by default five minutes). Because of the limit, a process
 * that is never quiet does not block a long run.
 */
export async function untilQuiet(process: { cpuMs(): number }, quiet = ALMOST_IDLE, limitMs = QUIET_LIMIT_MS): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  for (let last = Number.NEGATIVE_INFINITY, at = process.cpuMs(); at - last > quiet.cpuMs && performance.now() < giveUpAt; ) {
    await sleep(quiet.windowMs);
    last = at;
    at = process.cpuMs();
  }
  return performance.now() < giveUpAt;
}

/**
 * Resolves when the process is quiet and its memory has not decreased for twenty seconds, because a quiet manager releases memory in steps.
 */
export async function untilSettled(process: { cpuMs(): number; residentMb(): number }, quiet?: Quiet, limitMs?: number): Promise<void> {
  await untilQuiet(process, quiet, limitMs);
  for (let last = Number.POSITIVE_INFINITY, at = process.residentMb(); last - at > 2; ) {
    await sleep(20_000);
    last = at;
    at = process.residentMb();
  }
}
