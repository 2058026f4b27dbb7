import type { IncomingHttpHeaders } from 'undici/types/header.js';
import { Pool } from 'undici';
import type { Timers } from '@outrigger/core';
import { ConnectionError } from '../../client/connection-error.js';
import { connectionFailure } from '../../client/connection-failure.js';
import { linkSignals } from '../../client/signals.js';
import type { Answer, Carrier, Message } from './carrier.js';
import type { Dial } from './dial.js';
import { gatherReads } from './gathering-socket.js';

/**
 * The time for which an idle connection stays open. This is shorter than in Go's client (90 s) but longer than the pauses in a burst of
 * requests. A Keep-Alive hint from the server takes precedence.
 */
const KEEP_ALIVE_MS = 60_000;

/**
 * Returns a carrier that uses HTTP/1.1 over a pool of connections. Each watch holds a connection for minutes, so watches have a separate,
 * unlimited pool; in a shared pool they could use up the connections for requests.
 */
export function createHttp1Carrier(server: URL, dial: Dial, connections: number, timers: Timers): Carrier {
  const requests = createPool(server, dial, connections);
  const watches = createPool(server, dial, null);
  const gathering = new Map<number, Pool>();
  const closing = new AbortController();

  async function exchange(message: Message, signal: AbortSignal | undefined): Promise<Answer> {
    const linked = message.isWatch ? linkSignals([signal, closing.signal]) : { signal, release: () => undefined };
    const pool = message.isWatch ? poolOfWatch(message) : requests;
    try {
      const { method, path, headers, body = null } = message;
      const answer = await pool.request({
        method,
        path,
        headers: headers as Record<string, string | string[]>,
        body,
        signal: linked.signal ?? null,
      });
      return { status: answer.statusCode, headers: flat(answer.headers), body: bytes(answer.body, linked.signal, linked.release) };
    } catch (error) {
      linked.release();
      throw linked.signal?.aborted ? linked.signal.reason : connectionFailure(error, server.origin, true);
    }
  }

  function poolOfWatch({ gatherMs }: Message): Pool {
    if (gatherMs === undefined) return watches;
    const known = gathering.get(gatherMs);
    if (known) return known;
    const pool = createPool(server, gatheringDial(gatherMs), null);
    gathering.set(gatherMs, pool);
    return pool;
  }

  function gatheringDial(gatherMs: number): Dial {
    return async (alpn) => {
      const socket = await dial(alpn, 1);
      gatherReads(socket, gatherMs, timers);
      return socket;
    };
  }

  async function* bytes(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined, release: () => void): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw signal?.aborted ? signal.reason : connectionFailure(error, server.origin, true);
    } finally {
      release();
    }
  }

  return {
    exchange,
    async close() {
      closing.abort(
        new ConnectionError(`${server.origin}: the connection was closed`, { code: 'CLOSED', server: server.origin, sent: true }),
      );
      await Promise.all([requests, watches, ...gathering.values()].map((pool) => pool.close()));
    },
  };
}

function createPool(server: URL, dial: Dial, connections: number | null): Pool {
  return new Pool(server.origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Disable timeouts, because the caller sets deadlines and a watch without events is not a failure.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_, callback) => {
      dial(['http/1.1']).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return Object.fromEntries(entries);
}
