import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Cancel, Runtime } from '@outrigger/core';
import { ConnectionError } from '../../client/connection-error.js';
import { connectionFailure } from '../../client/connection-failure.js';
import type { Answer, Carrier, Message } from './carrier.js';
import type { Dial } from './dial.js';

/**
 * Returns a carrier that uses HTTP/2 over a single connection for all requests and watches. The carrier opens the connection on demand, and
 * opens a new one if the connection was lost. A connection counts as lost if a ping is unanswered when the next ping is due.
 */
export function createHttp2Carrier(server: URL, dial: Dial, runtime: Runtime, pingEveryMs: number): Carrier {
  const connection = new Connection(server, dial, runtime, pingEveryMs);
  const watches = new Set<ClientHttp2Stream>();

  async function exchange(message: Message, signal: AbortSignal | undefined): Promise<Answer> {
    const session = await connection.session();
    signal?.throwIfAborted();
    const headers = { ...(message.headers as Record<string, string | string[]>), ':method': message.method, ':path': message.path };
    // Set `endStream` explicitly: by default Node ends a DELETE before its body, in which Kubernetes clients send preconditions.
    const stream = start(session, headers, message.body === undefined);
    if (message.isWatch) track(watches, stream);
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal?.addEventListener('abort', abort, { once: true });
    stream.once('close', () => signal?.removeEventListener('abort', abort));
    if (message.body !== undefined) stream.end(message.body);
    try {
      const answer = await answered(stream);
      return { status: Number(answer[':status']), headers: flat(answer), body: bytes(stream, signal) };
    } catch (error) {
      throw signal?.aborted ? signal.reason : failure(error, stream);
    }
  }

  function start(session: ClientHttp2Session, headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream {
    try {
      return session.request(headers, { endStream });
    } catch (error) {
      throw connectionFailure(error, server.origin, false);
    }
  }

  async function* bytes(stream: ClientHttp2Stream, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      yield* stream as AsyncIterable<Uint8Array>;
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw cutError(stream);
    } catch (error) {
      throw signal?.aborted ? signal.reason : failure(error, stream);
    } finally {
      // Reset only incomplete streams, because servers close sessions with too many resets.
      if (!stream.readableEnded || !stream.writableEnded) stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  /**
   * Converts an error of a stream. If the server refused the stream, it did not process the request (RFC 9113, 8.7). It may have processed
   * any other request.
   */
  function failure(error: unknown, stream: ClientHttp2Stream): ConnectionError {
    return connectionFailure(error, server.origin, stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM);
  }

  return {
    exchange,
    async close() {
      for (const stream of watches) stream.destroy(closedError(server));
      await connection.close();
    },
  };
}

/** The connection to a server: one session at a time, which is replaced when it is lost. */
class Connection {
  readonly #server: URL;
  readonly #dial: Dial;
  readonly #runtime: Runtime;
  readonly #pingEveryMs: number;
  #session: ClientHttp2Session | undefined;
  #opening: Promise<ClientHttp2Session> | undefined;

  constructor(server: URL, dial: Dial, runtime: Runtime, pingEveryMs: number) {
    this.#server = server;
    this.#dial = dial;
    this.#runtime = runtime;
    this.#pingEveryMs = pingEveryMs;
  }

  /**
   * Returns the current session. Concurrent requests that find no session share one connection attempt. Checks the state of the session,
   * because the events of a lost session may arrive late.
   */
  async session(): Promise<ClientHttp2Session> {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<ClientHttp2Session> {
    // If only h2 were offered, a server without HTTP/2 would abort the handshake instead of choosing http/1.1.
    const socket = await this.#dial(['h2', 'http/1.1']);
    if ('alpnProtocol' in socket && socket.alpnProtocol !== 'h2') {
      socket.destroy();
      throw notSpoken(this.#server);
    }
    const http2 = connect(this.#server.origin, { createConnection: () => socket });
    const stopPings = keepAlive(http2, this.#runtime, this.#pingEveryMs);
    http2.once('close', stopPings);
    // This listener only prevents an unhandled error. The requests on the session report the failure of the session.
    http2.on('error', stopPings);
    // The server is draining: requests in flight finish, and new requests need a new session.
    http2.once('goaway', () => {
      if (this.#session === http2) this.#session = undefined;
    });
    this.#session = http2;
    return http2;
  }

  /** Waits for the requests in flight, then closes the session. */
  async close(): Promise<void> {
    const http2 = this.#session ?? (await this.#opening?.catch(() => undefined));
    this.#session = undefined;
    if (!http2 || http2.closed || http2.destroyed) return;
    await new Promise<void>((resolve) => http2.close(resolve));
  }
}

function track(streams: Set<ClientHttp2Stream>, stream: ClientHttp2Stream): void {
  streams.add(stream);
  stream.once('close', () => streams.delete(stream));
}

function answered(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(Object.assign(new Error('the stream was closed without an answer'), { code: 'ECONNRESET' })));
  });
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : String(value)] as const],
  );
  return Object.fromEntries(entries);
}

/** Node reports a lost connection as a cancelled stream without an error, so create the error here. */
function cutError({ rstCode }: ClientHttp2Stream): Error {
  return Object.assign(new Error(`the connection was closed in the middle of an answer (HTTP/2 code ${rstCode})`), {
    code: 'ERR_HTTP2_STREAM_ERROR',
  });
}

export const NOT_SPOKEN = 'ERR_HTTP2_NOT_SPOKEN';

function notSpoken(server: URL): ConnectionError {
  return new ConnectionError(`${server.origin}: the server does not speak HTTP/2`, {
    code: NOT_SPOKEN,
    server: server.origin,
    sent: false,
  });
}

function closedError(server: URL): ConnectionError {
  return new ConnectionError(`${server.origin}: the connection was closed`, { code: 'CLOSED', server: server.origin, sent: true });
}

function keepAlive(http2: ClientHttp2Session, runtime: Runtime, everyMs: number): Cancel {
  let isAnswered = true;
  let cancel: Cancel = () => undefined;
  const ping = (): void => {
    if (http2.destroyed) return;
    if (!isAnswered) {
      http2.destroy(new Error('the server no longer answers pings'));
      return;
    }
    isAnswered = false;
    http2.ping(() => {
      isAnswered = true;
    });
    cancel = runtime.timers.after(everyMs, ping);
  };
  cancel = runtime.timers.after(everyMs, ping);
  return () => cancel();
}
