import type { ApiRequest, ApiResponse, Kind, KubeObject, Logger, Runtime, Transport, WatchEvent } from '@outrigger/core';

/** A clock that advances only on request, and timers that use it. */
export interface ManualRuntime extends Runtime {
  /** Advances the clock and runs the due timers in order. Promises settle in between. */
  advance(ms: number): Promise<void>;
  readonly logged: string[];
}

export function manualRuntime(random = 0): ManualRuntime {
  let now = 1_700_000_000_000;
  const startedAt = now;
  let order = 0;
  const due: { at: number; order: number; task: () => void }[] = [];
  const logged: string[] = [];
  const scope = new AbortController();

  const after = (delayMs: number, task: () => void): (() => void) => {
    const entry = { at: now + delayMs, order: (order += 1), task };
    due.push(entry);
    return () => {
      const index = due.indexOf(entry);
      if (index >= 0) due.splice(index, 1);
    };
  };
  const sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = after(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_, message) => void logged.push(message),
    error: (_, message) => void logged.push(message),
    child: () => log,
  };
  return {
    clock: { now: () => now, monotonic: () => now - startedAt },
    timers: { after, sleep, yield: async () => undefined },
    random: { next: () => random, bytes: (length) => new Uint8Array(length), uuid: () => 'uuid' },
    keys: undefined as unknown as Runtime['keys'],
    log,
    scope: { isCut: false, signal: scope.signal, child: () => ({ isCut: false, signal: scope.signal, child: never, close: never }) },
    logged,
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (;;) {
        due.sort((a, b) => a.at - b.at || a.order - b.order);
        const next = due[0];
        if (!next || next.at > until) break;
        due.shift();
        now = Math.max(now, next.at);
        next.task();
        await settle();
      }
      now = until;
      await settle();
    },
  };
}

function never(): never {
  throw new Error('not in this test');
}

/** Resolves after all callbacks that wait only for promises have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A server with scripted responses. It answers each request with the next response and records the request. */
export interface ScriptedTransport extends Transport {
  readonly requests: ApiRequest[];
}

export type Scripted = Partial<ApiResponse> | Error | ((request: ApiRequest, signal: AbortSignal) => Promise<Partial<ApiResponse>>);

export function scripted(...script: Scripted[]): ScriptedTransport {
  const requests: ApiRequest[] = [];
  return {
    requests,
    async send(request, signal = new AbortController().signal) {
      requests.push(request);
      const answer = script.shift() ?? new Error(`the script has no answer to ${request.method} ${request.path}`);
      if (answer instanceof Error) throw answer;
      const response = typeof answer === 'function' ? await answer(request, signal) : answer;
      return { status: 200, headers: {}, ...response };
    },
    close: async () => undefined,
  };
}

/** A request in one line, such as `GET /path?a=b`, for comparisons. */
export function brief({ method, path, query = {} }: ApiRequest): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
  return `${method} ${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

export function refusal(code: number, reason: string, more: object = {}): Partial<ApiResponse> {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `it is ${reason}`, ...more } };
}

export const widgets: Kind = { group: 'test.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
export const nodes: Kind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export function widget(name: string, resourceVersion = '1'): KubeObject {
  return { apiVersion: 'test.io/v1', kind: 'Widget', metadata: { name, namespace: 'ns', resourceVersion } };
}

export function page(items: readonly KubeObject[], resourceVersion: string, token?: string): Partial<ApiResponse> {
  return {
    body: { kind: 'WidgetList', apiVersion: 'test.io/v1', metadata: { resourceVersion, ...(token ? { continue: token } : {}) }, items },
  };
}

export type ScriptedEvent = WatchEvent | Error | 'hang';

/** A watch that delivers the given events and then ends, breaks, or stays silent until it is aborted. */
export function watching(...events: ScriptedEvent[]): Scripted {
  return async (_, signal) => ({ events: play(events, signal) });
}

async function* play(events: readonly ScriptedEvent[], signal: AbortSignal): AsyncGenerator<WatchEvent> {
  for (const it of events) {
    if (it instanceof Error) throw it;
    if (it === 'hang') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    else yield it;
  }
}

export function event(type: WatchEvent['type'], name: string, resourceVersion: string): WatchEvent {
  return { type, object: widget(name, resourceVersion) };
}
