import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Obj } from './api.js';

export interface Event {
  readonly type: string;
  readonly object: Obj;
}

const SILENT = Symbol('silent');

/** An open watch that is read one event at a time. */
export class Watching {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly #lines: AsyncIterator<string>;
  readonly #message: IncomingMessage;
  #pending: Promise<IteratorResult<string>> | undefined;

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    this.#lines = lines(message);
    this.#message = message;
    // `close` breaks the stream, possibly while no read is pending. Ignore the stream's error here, because a reader gets it from the
    // iterator.
    message.on('error', () => undefined);
  }

  /** Returns the next event, or undefined if the server has ended the watch. */
  async next(timeoutMs = 15_000): Promise<Event | undefined> {
    const result = await this.#poll(timeoutMs);
    if (result === SILENT) throw new Error(`no watch event within ${timeoutMs} ms`);
    return result.done ? undefined : (JSON.parse(result.value) as Event);
  }

  /** Returns the events up to and including the first one that matches. */
  async until(matches: (event: Event) => boolean): Promise<readonly Event[]> {
    const seen: Event[] = [];
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`the watch ended after ${JSON.stringify(seen.map(brief))}`);
      seen.push(event);
      if (matches(event)) return seen;
    }
  }

  /** Resolves with true if the server sends nothing for `ms` milliseconds. */
  async isSilentFor(ms: number): Promise<boolean> {
    return (await this.#poll(ms)) === SILENT;
  }

  close(): void {
    this.#message.destroy();
  }

  async #poll(ms: number): Promise<IteratorResult<string> | typeof SILENT> {
    const timer = new AbortController();
    // A read that is still pending after a timeout is kept, because its line belongs to the next call.
    this.#pending ??= this.#lines.next();
    const timeout = sleep(ms, SILENT, { signal: timer.signal });
    timeout.catch(() => undefined);
    const result = await Promise.race([this.#pending, timeout]);
    timer.abort();
    if (result !== SILENT) this.#pending = undefined;
    return result;
  }
}

/** Returns the type and name of an event, such as `ADDED a`, to compare sequences. */
export function brief(event: Event): string {
  return `${event.type} ${event.object.metadata.name}`;
}

/** Returns the path that requests a watch without a query parameter: `/api/v1/watch/pods` for `/api/v1/pods`. */
export function watchPath(path: string): string {
  return path.replace(/^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\//, '$1/watch/');
}

async function* lines(message: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of message) {
      const parts = (rest + (chunk as Buffer).toString()).split('\n');
      rest = parts.pop() ?? '';
      yield* parts.filter((line) => line !== '');
    }
  } catch (error) {
    // An error is expected if this client has closed the stream.
    if (!message.destroyed) throw error;
  }
  if (rest.trim() !== '') yield rest;
}
