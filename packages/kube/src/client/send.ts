import { ApiError, type ApiRequest, type ApiResponse, isJsonObject, type Runtime, type Transport, type Metrics } from '@outrigger/core';
import { ConnectionError } from './connection-error.js';
import { type RetryLimits, retryAfterSeconds, retryDelayOfAnswer, retryDelayOfFailure, withJitter } from './retry.js';
import { type LinkedSignal, linkSignals, untilAborted } from './signals.js';
import { createSlots } from './slots.js';

export interface Limits extends RetryLimits {
  /** Maximum number of requests in flight. Further requests are queued. Watches are not counted. */
  readonly inFlight: number;
  /** The timeout of each attempt, from the first byte sent to the last byte read. */
  readonly timeoutMs: number;
}

export const DEFAULT_LIMITS: Limits = { inFlight: 64, timeoutMs: 30_000, retries: 4, maxRetryDelayMs: 30_000 };

interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Labels of the metrics. */
  readonly verb: string;
  readonly resource: string;
}

/** Sends a request within the client's limits. Resolves if the request succeeded; otherwise throws `ApiError` or `ConnectionError`. */
export type Send = (request: ApiRequest, options: SendOptions) => Promise<ApiResponse>;

export interface SendContext {
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly metrics: Metrics;
}

export function createSend({ transport, runtime, limits, metrics }: SendContext): Send {
  const slots = createSlots(limits.inFlight);
  const count = requestMetrics(metrics);

  async function attempt(request: ApiRequest, options: SendOptions): Promise<ApiResponse> {
    const linked = linkSignals([options.signal, runtime.scope.signal]);
    let isStreaming = false;
    try {
      const response = await bounded(request, options, linked);
      // A watch continues after the response headers have arrived, so keep the link by which the caller's signal ends the watch.
      isStreaming = response.events !== undefined;
      return response.events ? { ...response, events: linkedEvents(response.events, linked) } : response;
    } finally {
      if (!isStreaming) linked.release();
    }
  }

  async function bounded(request: ApiRequest, options: SendOptions, linked: LinkedSignal): Promise<ApiResponse> {
    const give = request.watch ? () => undefined : await slots.take(linked.signal);
    try {
      linked.signal.throwIfAborted();
      return await timed(request, options, linked);
    } finally {
      give();
    }
  }

  async function timed(request: ApiRequest, options: SendOptions, linked: LinkedSignal): Promise<ApiResponse> {
    const startedAt = runtime.clock.monotonic();
    const timeoutMs = options.timeoutMs ?? limits.timeoutMs;
    const cancel = runtime.timers.after(timeoutMs, () => linked.abort(timeoutError(request, timeoutMs)));
    let code = 'none';
    try {
      const response = await untilAborted(transport.send({ ...request, timeoutMs }, linked.signal), linked.signal);
      code = String(response.status);
      return response;
    } finally {
      cancel();
      count(options, code, runtime.clock.monotonic() - startedAt);
    }
  }

  async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    await runtime.timers.sleep(withJitter(delayMs, runtime.random.next()), signal ?? runtime.scope.signal);
  }

  return async (request, options) => {
    for (let tries = 0; ; tries += 1) {
      let delayMs: number | undefined;
      try {
        const response = await attempt(request, options);
        if (response.status < 400) return response;
        delayMs = retryDelayOfAnswer(request, response, tries, limits);
        if (delayMs === undefined) throw refusal(request, response);
      } catch (error) {
        delayMs ??= retryDelayOfFailure(request, error, tries, limits);
        if (delayMs === undefined) throw error;
      }
      await pause(delayMs, options.signal);
    }
  };
}

async function* linkedEvents<T>(events: AsyncIterable<T>, linked: LinkedSignal): AsyncGenerator<T> {
  try {
    yield* events;
  } finally {
    linked.release();
  }
}

function timeoutError(request: ApiRequest, timeoutMs: number): ConnectionError {
  return new ConnectionError(`${request.method} ${request.path}: no answer within ${timeoutMs / 1000} s`, {
    code: 'TIMEOUT',
    server: '',
    sent: true,
  });
}

/** Returns the error for a response. Its details contain the delay that a header requests, because not every body contains the delay. */
function refusal(request: ApiRequest, response: ApiResponse): ApiError {
  const error = errorOf(request, response);
  const seconds = retryAfterSeconds(response);
  if (seconds === undefined || error.details?.retryAfterSeconds !== undefined) return error;
  return new ApiError(error.reason, error.message, { code: error.code, details: { ...error.details, retryAfterSeconds: seconds } });
}

function errorOf(request: ApiRequest, response: ApiResponse): ApiError {
  if (isJsonObject(response.body) && response.body['kind'] === 'Status') {
    return ApiError.fromStatus(response.body, response.status);
  }
  // The response comes from a proxy or load balancer in front of the API server.
  const detail = typeof response.body === 'string' ? `: ${response.body.slice(0, 200).trim()}` : '';
  return ApiError.fromStatus(
    { message: `${request.method} ${request.path}: the server answered ${response.status}${detail}` },
    response.status,
  );
}

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

function requestMetrics(metrics: Metrics): (labels: SendOptions, code: string, durationMs: number) => void {
  const requests = metrics.counter({
    name: 'outrigger_api_requests_total',
    help: 'Requests sent to Kubernetes API servers; code "none" means no answer came.',
    labels: ['verb', 'resource', 'code'],
  });
  const durations = metrics.histogram({
    name: 'outrigger_api_request_duration_seconds',
    help: 'Time from sending a request to its complete answer (for watches: to the start of the answer).',
    labels: ['verb', 'resource'],
    buckets: DURATION_BUCKETS,
  });
  return ({ verb, resource }, code, durationMs) => {
    requests.add({ verb, resource, code });
    durations.observe({ verb, resource }, durationMs / 1000);
  };
}
