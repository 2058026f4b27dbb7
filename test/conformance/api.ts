import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http } from '../harness/index.js';
import { Watching } from './watching.js';

/** A response from a server, typed loosely as JSON, because conformance tests check the wire format, not the types of a client library. */
export interface Obj {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly items: readonly Obj[];
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: unknown;
  /** This field and the next ones are set only if the object is a Status. */
  readonly reason: string;
  readonly message: string;
  readonly code: number;
  readonly details: {
    readonly name?: string;
    readonly kind?: string;
    readonly group?: string;
    readonly causes: readonly { readonly field: string; readonly reason: string; readonly message: string }[];
  };
}

export interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly managedFields: readonly ManagedFields[];
  readonly continue: string;
  readonly remainingItemCount: number;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The response body parsed as JSON; an empty object if it is not JSON. */
  readonly body: Obj;
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

type Headers = Readonly<Record<string, string>>;

/** A client of one server for one caller. */
export class Api {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const { status, headers: received, text } = await this.#http.send({ method, path, headers, ...(body !== undefined && { body }) });
    return { status, headers: received, text, body: parse(text) };
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers?: Headers): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  patch(type: keyof typeof patchTypes, path: string, body: unknown): Promise<Answer> {
    return this.send('PATCH', path, body, { 'content-type': patchTypes[type] });
  }

  delete(path: string, options?: unknown): Promise<Answer> {
    return this.send('DELETE', path, options);
  }

  /** Sends a POST and requires success. It is for objects that a test needs but does not test. */
  async create(path: string, body: unknown): Promise<Obj> {
    const answer = await this.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Opens a watch. `path` may already have a query. */
  async watch(path: string, headers: Headers = {}): Promise<Watching> {
    return this.stream(`${path}${path.includes('?') ? '&' : '?'}watch=true`, headers);
  }

  /** Opens a watch at a path that itself requests a watch, such as `/api/v1/watch/pods`. */
  async stream(path: string, headers: Headers = {}): Promise<Watching> {
    return new Watching(await this.#http.open({ path, headers }));
  }
}

function parse(text: string): Obj {
  try {
    return JSON.parse(text) as Obj;
  } catch {
    return {} as Obj;
  }
}

/** Retries until `check` no longer throws, for effects of controllers, which take some time. */
export async function eventually<T>(check: () => Promise<T>, timeoutMs = 30_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
