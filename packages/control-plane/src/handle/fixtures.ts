import type { ApiRequest, ApiResponse, Cancel, Json, KubeObject, Logger, Runtime, Scope } from '@outrigger/core';
import { MemoryStore } from '../store/memory.js';
import type { ApiServer, ApiServerOptions, Identity } from './contract.js';
import { createApiServer } from './server.js';

export const ADMIN: Identity = { user: 'admin', groups: ['system:masters', 'system:authenticated'] };

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** A runtime whose time changes only when a test advances it, and whose random numbers are the same in every run. */
export class ManualRuntime implements Runtime {
  readonly log: Logger & { readonly errors: string[] } = silentLog();
  readonly scope: Scope = openScope();
  #now = Date.UTC(2026, 0, 1);
  #timers: Timer[] = [];
  #seed = 1;
  #uuids = 0;

  readonly clock: Runtime['clock'] = { now: () => this.#now, monotonic: () => this.#now };

  readonly timers: Runtime['timers'] = {
    after: (delayMs, task) => this.#after(delayMs, task),
    yield: () => Promise.resolve(),
    sleep: (delayMs) =>
      new Promise((resolve) => {
        this.#after(delayMs, resolve);
      }),
  };

  readonly random: Runtime['random'] = {
    next: () => {
      this.#seed = (this.#seed * 48271) % 2147483647;
      return this.#seed / 2147483647;
    },
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(this.random.next() * 256)),
    uuid: () => `00000000-0000-4000-8000-${String(++this.#uuids).padStart(12, '0')}`,
  };

  get keys(): Runtime['keys'] {
    throw new Error('no keys here');
  }

  /** Advances time and runs the timers that become due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
    }
    this.#now = end;
  }

  #after(delayMs: number, task: () => void): Cancel {
    const timer = { at: this.#now + delayMs, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
}

function openScope(): Scope {
  const { signal } = new AbortController();
  return { isCut: false, signal, child: () => ({ ...openScope(), close: () => undefined }) };
}

function silentLog(): Logger & { readonly errors: string[] } {
  const errors: string[] = [];
  const ignore = (): void => undefined;
  const log = {
    errors,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields: object) => void errors.push(JSON.stringify(fields)),
    child: () => log,
  };
  return log;
}

/** An in-memory server with shorthands for requests. */
export class Api {
  readonly runtime: ManualRuntime = new ManualRuntime();
  readonly server: ApiServer;

  constructor(options: Partial<ApiServerOptions> = {}) {
    this.server = createApiServer({ runtime: this.runtime, store: new MemoryStore(), ...options });
  }

  send(method: ApiRequest['method'], path: string, body?: ApiRequest['body'], headers: Record<string, string> = {}): Promise<ApiResponse> {
    const [plain = '', search = ''] = path.split('?');
    const query: Record<string, string[]> = {};
    for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
    return this.server.handle({ method, path: plain, query, headers, ...(body === undefined ? {} : { body }) }, ADMIN);
  }

  /** Returns the response body, untyped so that tests can read any field. */
  async read(method: ApiRequest['method'], path: string, body?: ApiRequest['body'], headers?: Record<string, string>): Promise<Answer> {
    const response = await this.send(method, path, body, headers);
    return response.body as Answer;
  }

  get(path: string): Promise<Answer> {
    return this.read('GET', path);
  }

  post(path: string, body: Json | KubeObject): Promise<Answer> {
    return this.read('POST', path, body);
  }

  put(path: string, body: Json | KubeObject): Promise<Answer> {
    return this.read('PUT', path, body);
  }

  merge(path: string, body: Json): Promise<Answer> {
    return this.read('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });
  }

  apply(path: string, manager: string, body: Json, force = false): Promise<Answer> {
    const query = `fieldManager=${manager}${force ? '&force=true' : ''}`;
    return this.read('PATCH', `${path}${path.includes('?') ? '&' : '?'}${query}`, body, { 'content-type': 'application/apply-patch+yaml' });
  }

  delete(path: string, body?: Json): Promise<Answer> {
    return this.read('DELETE', path, body);
  }

  async namespace(name: string): Promise<void> {
    await this.post('/api/v1/namespaces', { metadata: { name } });
  }
}

/** A response body, untyped so that tests need no type per kind. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every kind are read here
export type Answer = any;
