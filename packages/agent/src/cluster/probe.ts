import { isApiError, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The response of the cluster's API server to a probe. */
export interface ProbeResult {
  readonly isHealthy: boolean;
  /** The HTTP status; 0 if there was no response. */
  readonly code: number;
  readonly detail: string;
  /** The Kubernetes version, if it could be read. */
  readonly version: string | undefined;
}

const VERSION_EVERY_MS = 10 * 60_000;

/** The result of the last probe, and the time since which the API server has been failing. Times are monotonic. */
export interface LastProbe {
  readonly result: ProbeResult;
  readonly askedAt: number;
  readonly failingSince: number | undefined;
  /** The monotonic time at which the version was last read. */
  readonly versionAt: number | undefined;
}

export function recordProbe(before: LastProbe | undefined, result: ProbeResult, monotonic: number): LastProbe {
  return {
    result: { ...result, version: result.version ?? before?.result.version },
    askedAt: monotonic,
    failingSince: result.isHealthy ? undefined : (before?.failingSince ?? monotonic),
    versionAt: result.version === undefined ? before?.versionAt : monotonic,
  };
}

/**
 * Whether to read the version again. It is read every 10 minutes, and with every probe while the API server fails, because the server may
 * be upgrading.
 */
export function isVersionDue(last: LastProbe | undefined, monotonic: number): boolean {
  return last?.versionAt === undefined || last.failingSince !== undefined || monotonic - last.versionAt >= VERSION_EVERY_MS;
}

/**
 * Probes the API server with `/livez`, or with `/healthz` if the server has no `/livez` or forbids reading it. If requested, also reads the
 * server's version.
 */
export async function probe(cluster: Client, signal: AbortSignal, withVersion: boolean): Promise<ProbeResult> {
  const livez = await ask(cluster, '/livez', signal);
  const health = livez.code === 404 || livez.code === 403 ? await ask(cluster, '/healthz', signal) : livez;
  if (health.code !== 200) return { isHealthy: false, ...health, version: undefined };
  if (!withVersion) return { isHealthy: true, code: 200, detail: '', version: undefined };
  const { body } = await ask(cluster, '/version', signal);
  const version = isJsonObject(body) && typeof body['gitVersion'] === 'string' ? body['gitVersion'] : undefined;
  return { isHealthy: true, code: 200, detail: '', version };
}

interface Answer {
  readonly code: number;
  readonly detail: string;
  readonly body?: unknown;
}

const TIMEOUT_MS = 10_000;

async function ask(cluster: Client, path: string, signal: AbortSignal): Promise<Answer> {
  try {
    const { status, body } = await cluster.raw({ method: 'GET', path }, { signal, timeoutMs: TIMEOUT_MS });
    return { code: status, detail: '', body };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { code: isApiError(error) ? error.code : 0, detail: message };
  }
}
