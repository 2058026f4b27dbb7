import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Limits } from '../limits.js';
import { peerOf } from './peer.js';
import type { AnyResponse, Patience } from './respond.js';

const GONE = new Error('the client went away');
const STOPPING = new Error('the server is shutting down');

/** The reads in progress. Each read is aborted when its connection closes or the server stops. Writes are not aborted. */
export class OpenRequests {
  readonly #open = new Set<AbortController>();
  isStopping = false;

  /** Returns the signal that aborts the request, or undefined for a write, which completes even if its client disconnects. */
  begin(response: AnyResponse, isRead: boolean): AbortSignal | undefined {
    if (!isRead) {
      response.on('error', () => response.destroy()); // The connection is broken, so no response can be sent.
      return undefined;
    }
    const controller = new AbortController();
    const end = (): void => {
      this.#open.delete(controller);
      // Abort only if the response has not been written completely, because aborting costs more than a small response.
      if (!response.writableEnded) controller.abort(GONE);
    };
    this.#open.add(controller);
    response.once('close', end);
    response.on('error', end); // The connection is broken, and `close` follows.
    if (this.isStopping) controller.abort(STOPPING);
    return controller.signal;
  }

  stop(): void {
    this.isStopping = true;
    for (const controller of this.#open) controller.abort(STOPPING);
  }
}

/** The open connections: HTTP/2 sessions, and TLS sockets of HTTP/1 and HTTP/2. */
export interface Connections {
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  readonly sockets: ReadonlySet<Socket>;
}

/** Tracks the open connections. `now` is monotonic, in milliseconds. */
export function trackConnections(server: Http2SecureServer, limits: Limits, now: () => number): Connections {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const byPeer = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    byPeer.set(peer, socket);
    socket.once('close', () => {
      if (byPeer.get(peer) === socket) byPeer.delete(peer);
    });
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    closeWhenIdle(session, limits.idleMs);
    // Destroy the socket, not the session: `session.destroy()` fails an assertion in Node.js and crashes the process while frames are being
    // read.
    onTooManyResets(session, limits, now, () => byPeer.get(peerOf(session.socket))?.destroy());
  });
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  // Port scanners, and clients that do not trust the certificate, abort the handshake and expect no response.
  server.on('tlsClientError', (_: Error, socket: Socket) => socket.destroy());
  // A server that also serves HTTP/1 has the settings below, but the type declarations of HTTP/2 servers omit them.
  const http1 = server as unknown as HttpsServer & { connectionsCheckingInterval: number };
  http1.headersTimeout = limits.headersMs;
  // A body that is discarded after the response must arrive in time as well.
  http1.requestTimeout = limits.headersMs + limits.bodyMs;
  http1.connectionsCheckingInterval = Math.max(100, limits.headersMs / 5);
  http1.keepAliveTimeout = limits.idleMs;
  return { sessions, sockets };
}

/** Closes a session that has had no stream for `idleMs`. A watch without events is a stream, so it keeps the session open. */
function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams += 1;
    stream.once('close', () => {
      streams -= 1;
    });
  });
  session.setTimeout(idleMs, () => {
    if (streams === 0) session.close();
  });
}

/** Calls `end` when the client of a session keeps cancelling streams faster than `resetsPerSecond`. */
function onTooManyResets(session: ServerHttp2Session, limits: Limits, now: () => number, end: () => void): void {
  const { resetsPerSession, resetsPerSecond } = limits;
  let level = 0;
  let at = now();
  session.on('stream', (stream) => {
    stream.once('close', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR || session.destroyed) return;
      const time = now();
      level = Math.max(0, level - ((time - at) / 1000) * resetsPerSecond) + 1;
      at = time;
      if (level > resetsPerSession) end();
    });
  });
}

/** Ends watches, sends GOAWAY, waits for responses in progress, then closes the remaining connections. */
export async function shutDown(server: Http2SecureServer, connections: Connections, open: OpenRequests, patience: Patience): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  open.stop();
  // A destroyed session stays in the set until its connection has closed.
  for (const session of connections.sessions) if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
  for (const session of connections.sessions) session.close();
  (server as unknown as HttpsServer).closeIdleConnections?.();
  const cancel = patience.runtime.timers.after(patience.ms, () => {
    for (const session of connections.sessions) session.destroy();
    for (const socket of connections.sockets) socket.destroy();
  });
  await closed;
  cancel();
}
