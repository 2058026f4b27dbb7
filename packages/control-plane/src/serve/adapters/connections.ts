import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Runtime } from '@outrigger/core';
import type { AnyResponse } from './respond.js';

const HEADERS_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 120_000;
/** How long answers under way may take after a stop before their connections are cut. */
const DRAIN_MS = 2_000;

const GONE = new Error('the client went away');
const STOPPING = new Error('the server is shutting down');

/** The requests being answered. Each ends with its connection, or with the server. */
export class OpenRequests {
  readonly #open = new Set<AbortController>();
  isStopping = false;

  begin(response: AnyResponse): AbortSignal {
    const controller = new AbortController();
    const end = (): void => {
      this.#open.delete(controller);
      // Nothing is left to stop once the answer is written, and an abort costs more than a small answer.
      if (!response.writableEnded) controller.abort(GONE);
    };
    this.#open.add(controller);
    response.once('close', end);
    response.on('error', end); // a broken connection; `close` follows
    if (this.isStopping) controller.abort(STOPPING);
    return controller.signal;
  }

  stop(): void {
    this.isStopping = true;
    for (const controller of this.#open) controller.abort(STOPPING);
  }
}

/** What is connected, over either protocol. */
export interface Connections {
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  readonly sockets: ReadonlySet<Socket>;
}

export function trackConnections(server: Http2SecureServer): Connections {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    closeWhenIdle(session);
  });
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  // Scanners and clients that do not trust us break off; nobody is waiting for an answer.
  server.on('tlsClientError', (_: Error, socket: Socket) => socket.destroy());
  const http1 = server as unknown as HttpsServer;
  http1.headersTimeout = HEADERS_TIMEOUT_MS;
  http1.keepAliveTimeout = IDLE_TIMEOUT_MS;
  return { sessions, sockets };
}

/** A quiet watch is not idle; a session without streams is. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams += 1;
    stream.once('close', () => {
      streams -= 1;
    });
  });
  session.setTimeout(IDLE_TIMEOUT_MS, () => {
    if (streams === 0) session.close();
  });
}

/** Ends watches, sends clients elsewhere, waits for answers under way, then cuts what is left. */
export async function shutDown(server: Http2SecureServer, connections: Connections, open: OpenRequests, runtime: Runtime): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  open.stop();
  for (const session of connections.sessions) session.goaway(constants.NGHTTP2_NO_ERROR);
  for (const session of connections.sessions) session.close();
  (server as unknown as HttpsServer).closeIdleConnections?.();
  const cancel = runtime.timers.after(DRAIN_MS, () => {
    for (const session of connections.sessions) session.destroy();
    for (const socket of connections.sockets) socket.destroy();
  });
  await closed;
  cancel();
}
