import { createSecureServer, constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError, type ApiResponse, errorMessage, type Runtime } from '@outrigger/core';
import type { Handle } from '../../handle/contract.js';
import { authenticate, type AuthenticationServices } from '../authenticate.js';
import { headerLines, parseRequest, withBody } from '../parse.js';
import { type AnyRequest, connectionCredential } from './connection.js';
import { readBody } from './read-body.js';
import { type AnyResponse, sendAnswer, sendEvents } from './respond.js';

/** As in a Kubernetes API server: enough for an agent's watches, few enough that one client cannot hold everything. */
const STREAMS_PER_SESSION = 250;
/** Enough for every stream of a session to have a piece of a large answer in flight. */
const SESSION_MEMORY_MB = 64;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 120_000;
/** How long answers under way may take after a stop before their connections are cut. */
const DRAIN_MS = 2_000;

export interface ServerOptions extends AuthenticationServices {
  readonly runtime: Runtime;
  readonly handle: Handle;
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  readonly privateKey: string;
  /** The authority client certificates must come from. */
  readonly clientAuthority: string;
}

export interface RunningServer {
  readonly port: number;
  /** Ends watches, tells clients to go elsewhere, lets answers under way finish, then closes. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const open = new OpenRequests();
  const server = createSecureServer({
    cert: options.certificate,
    key: options.privateKey,
    ca: options.clientAuthority,
    requestCert: true,
    // Requests with other credentials, or none, are for authentication to judge.
    rejectUnauthorized: false,
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxSessionMemory: SESSION_MEMORY_MB,
    settings: { maxConcurrentStreams: STREAMS_PER_SESSION },
  });
  const connections = trackConnections(server);
  server.on('request', (request, response) => void answer(request, response, options, open));
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => shutDown(server, connections, open, options.runtime),
  };
}

/** The requests being answered. Each ends with its connection, or with the server. */
class OpenRequests {
  readonly #open = new Set<AbortController>();
  isStopping = false;

  begin(response: AnyResponse): AbortSignal {
    const controller = new AbortController();
    const end = (): void => {
      this.#open.delete(controller);
      controller.abort();
    };
    this.#open.add(controller);
    response.once('close', end);
    response.on('error', end); // a broken connection; `close` follows
    if (this.isStopping) controller.abort();
    return controller.signal;
  }

  stop(): void {
    this.isStopping = true;
    for (const controller of this.#open) controller.abort();
  }
}

async function answer(request: AnyRequest, response: AnyResponse, options: ServerOptions, open: OpenRequests): Promise<void> {
  const signal = open.begin(response);
  try {
    const result = await dispatch(request, options, signal);
    if (open.isStopping && 'shouldKeepAlive' in response) response.shouldKeepAlive = false;
    if (result.events) await sendEvents(response, result, options.runtime);
    else {
      const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      await sendAnswer(response, result, { withoutBody: request.method === 'HEAD', acceptsGzip, runtime: options.runtime });
    }
  } catch (error) {
    abandon(request, response, error, options.runtime);
  }
}

/** Never rejects for what a client did: a refusal is an answer. */
async function dispatch(request: AnyRequest, options: ServerOptions, signal: AbortSignal): Promise<ApiResponse> {
  try {
    const lines = headerLines(request.rawHeaders);
    const parsed = parseRequest(request.method ?? '', request.url ?? '/', lines);
    // Who asks comes first: strangers must not make the server read megabytes.
    const identity = await authenticate(connectionCredential(request), lines, options);
    const body = parsed.method === 'GET' ? new Uint8Array(0) : await readBody(request, options.runtime);
    return await options.handle(withBody(parsed, body), identity, signal);
  } catch (error) {
    if (error instanceof ApiError) return refusal(request, error);
    throw error;
  }
}

function refusal(request: AnyRequest, error: ApiError): ApiResponse {
  // Whatever the client still sends would be read as its next request.
  const unread = request.complete || 'stream' in request ? {} : { connection: 'close' };
  return { status: error.code, headers: { 'content-type': 'application/json', ...unread }, body: error.toStatus() };
}

function abandon(request: AnyRequest, response: AnyResponse, error: unknown, runtime: Runtime): void {
  if (response.destroyed || response.writableEnded) return;
  runtime.log.error({ method: request.method, path: request.url?.split('?')[0], error: errorMessage(error) }, 'request failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = new ApiError('InternalError', 'an error on the server has prevented the request from succeeding').toStatus();
  response.statusCode = status.code;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(status));
}

function listen(server: Http2SecureServer, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

interface Connections {
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  readonly sockets: ReadonlySet<Socket>;
}

function trackConnections(server: Http2SecureServer): Connections {
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

async function shutDown(server: Http2SecureServer, connections: Connections, open: OpenRequests, runtime: Runtime): Promise<void> {
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
