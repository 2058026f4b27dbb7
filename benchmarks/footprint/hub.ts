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

/** Resolves when the process has used almost no processor time (at most `quietMs`) for a second. */
export async function untilQuiet(process: { cpuMs(): number }, quietMs = 20): Promise<void> {
  for (let last = -1_000, at = process.cpuMs(); at - last > quietMs; ) {
    await sleep(1_000);
    last = at;
    at = process.cpuMs();
  }
}

/** Resolves when the process is quiet and its memory has not decreased for ten seconds, because a quiet manager returns memory in steps. */
export async function untilSettled(process: { cpuMs(): number; residentMb(): number }, quietMs?: number): Promise<void> {
  await untilQuiet(process, quietMs);
  for (let last = Number.POSITIVE_INFINITY, at = process.residentMb(); last - at > 2; ) {
    await sleep(10_000);
    last = at;
    at = process.residentMb();
  }
}
