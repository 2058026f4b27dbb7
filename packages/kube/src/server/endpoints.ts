import { errorMessage, type Runtime } from '@outrigger/core';

/** A health check. It resolves with the problem, or with undefined if there is no problem. */
export interface HealthCheck {
  readonly name: string;
  readonly problem: () => string | undefined | Promise<string | undefined>;
  /** The line that `?verbose` shows for a check that succeeds. */
  readonly note?: () => string | undefined;
}

export interface EndpointsConfig {
  readonly runtime: Runtime;
  /** Liveness checks. A process that fails one of them should be restarted. */
  readonly health: readonly HealthCheck[];
  /** Readiness checks. A process that fails one of them should not get traffic yet. */
  readonly readiness: readonly HealthCheck[];
  /** The text of a scrape. */
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface EndpointRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Endpoints = (request: EndpointRequest) => Promise<EndpointResponse>;

const CHECK_TIMEOUT_MS = 5_000;

/**
 * Serves `/healthz` (also as `/livez`), `/readyz` and `/metrics` like Kubernetes components. The response is `ok`, or one line per check if
 * a check fails or `?verbose` is set. `/readyz/<name>` runs a single check. `?exclude=<name>` skips a check.
 */
export function createEndpoints(config: EndpointsConfig): Endpoints {
  const groups: Readonly<Record<string, readonly HealthCheck[]>> = {
    healthz: config.health,
    livez: config.health,
    readyz: config.readiness,
  };
  return async ({ method, url }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const [, root = '', name, ...rest] = pathname.split('/');
    const isMetrics = root === 'metrics' && name === undefined && config.metrics !== undefined;
    const checks = rest.length === 0 && Object.hasOwn(groups, root) ? groups[root] : undefined;
    const chosen = checks?.filter((check) => (name ? check.name === name : true));
    if (!isMetrics && (!chosen || (name && chosen.length === 0))) return text(404, 'not found\n');
    if (method !== 'GET' && method !== 'HEAD') return { ...text(405, 'only GET is served here\n'), headers: { allow: 'GET, HEAD' } };
    if (config.metrics && isMetrics) return scrape(config.metrics);
    const excluded = new Set(searchParams.getAll('exclude'));
    const wanted = (chosen ?? []).filter((check) => !excluded.has(check.name));
    return report(root, await runAll(wanted, config.runtime), searchParams.has('verbose'));
  };
}

async function scrape(metrics: NonNullable<EndpointsConfig['metrics']>): Promise<EndpointResponse> {
  const { contentType, body } = await metrics();
  return { status: 200, headers: { 'content-type': contentType }, body };
}

interface Outcome {
  readonly name: string;
  readonly problem: string | undefined;
  readonly note: string | undefined;
}

function runAll(checks: readonly HealthCheck[], runtime: Runtime): Promise<Outcome[]> {
  return Promise.all(checks.map(async (check) => ({ name: check.name, problem: await run(check, runtime), note: check.note?.() })));
}

/** Runs a check. A check that throws or times out has failed; the endpoint itself always responds. */
async function run(check: HealthCheck, runtime: Runtime): Promise<string | undefined> {
  let cancel: () => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    cancel = runtime.timers.after(CHECK_TIMEOUT_MS, () => resolve(`no result within ${CHECK_TIMEOUT_MS / 1000} s`));
  });
  try {
    return await Promise.race([(async () => check.problem())(), late]);
  } catch (error) {
    return errorMessage(error);
  } finally {
    cancel();
  }
}

function report(root: string, outcomes: readonly Outcome[], verbose: boolean): EndpointResponse {
  const isWell = outcomes.every(({ problem }) => problem === undefined);
  if (isWell && !verbose) return text(200, 'ok');
  const lines = outcomes.map(({ name, problem, note }) => {
    if (problem !== undefined) return `[-]${name} failed: ${problem}`;
    return note === undefined ? `[+]${name} ok` : `[+]${name} ok: ${note}`;
  });
  return text(isWell ? 200 : 503, `${[...lines, `${root} check ${isWell ? 'passed' : 'failed'}`].join('\n')}\n`);
}

function text(status: number, body: string): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    body,
  };
}
