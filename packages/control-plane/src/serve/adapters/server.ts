import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { ApiError, type ApiResponse, errorMessage, type Runtime } from '@outrigger/core';
import { isMaster } from '../../authz/authorizer.js';
import type { Handle } from '../../handle/contract.js';
import { negotiatePlain } from '../../request/negotiate.js';
import { authenticate, type AuthenticationServices } from '../authenticate.js';
import { FairQueue } from '../fair-queue.js';
import { LIMITS, type Limits } from '../limits.js';
import { headerLines, parseRequest, withBody } from '../parse.js';
import { type AnyRequest, connectionCredential } from './peer.js';
import { OpenRequests, shutDown, trackConnections } from './connections.js';
import { readBody } from './read-body.js';
import { type AnyResponse, sendAnswer, sendEvents } from './respond.js';

export interface ServerOptions extends AuthenticationServices {
  readonly runtime: Runtime;
  readonly handle: Handle;
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  readonly privateKey: string;
  /** The authority client certificates must come from. */
  readonly clientAuthority: string;
  readonly limits?: Partial<Limits>;
}

export interface RunningServer {
  readonly port: number;
  /** Ends watches, tells clients to go elsewhere, lets answers under way finish, then closes. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...LIMITS, ...options.limits };
  const open = new OpenRequests();
  const queue = new FairQueue({ concurrent: limits.concurrentRequests, waitingPerCaller: limits.waitingPerCaller });
  const server = createSecureServer({
    cert: options.certificate,
    key: options.privateKey,
    ca: options.clientAuthority,
    requestCert: true,
    // Requests with other credentials, or none, are for authentication to judge.
    rejectUnauthorized: false,
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.handshakeMs,
    maxSessionMemory: limits.sessionMemoryMb,
    settings: { maxConcurrentStreams: limits.streamsPerSession },
  });
  const connections = trackConnections(server, limits);
  server.on('request', (request, response) => void answer(request, response, { options, limits, open, queue }));
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => shutDown(server, connections, open, { runtime: options.runtime, ms: limits.drainMs }),
  };
}

/** What all requests of one server share. */
interface Serving {
  readonly options: ServerOptions;
  readonly limits: Limits;
  readonly open: OpenRequests;
  readonly queue: FairQueue;
}

async function answer(request: AnyRequest, response: AnyResponse, serving: Serving): Promise<void> {
  const { options, limits, open } = serving;
  const signal = open.begin(response, request.method === 'GET');
  try {
    const result = await dispatch(request, serving, signal);
    if (open.isStopping && 'shouldKeepAlive' in response) response.shouldKeepAlive = false;
    const patience = { runtime: options.runtime, ms: limits.stalledMs };
    if (result.events) await sendEvents(response, result, patience);
    else {
      const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      await sendAnswer(response, result, { withoutBody: request.method === 'HEAD', acceptsGzip, patience });
    }
  } catch (error) {
    abandon(request, response, error, options.runtime);
  }
}

/** Never rejects for what a client did: a refusal is an answer. */
async function dispatch(request: AnyRequest, { options, limits, queue }: Serving, signal: AbortSignal | undefined): Promise<ApiResponse> {
  try {
    const lines = headerLines(request.rawHeaders);
    const parsed = parseRequest(request.method ?? '', request.url ?? '/', lines);
    // Who asks comes first: strangers must not make the server read megabytes.
    const identity = await authenticate(connectionCredential(request), lines, options);
    const body = parsed.method === 'GET' ? new Uint8Array(0) : await readBody(request, options.runtime, limits);
    const ask = (): Promise<ApiResponse> => options.handle(withBody(parsed, body), identity, signal);
    return await (isMaster(identity) ? ask() : queue.run(identity.user, ask));
  } catch (error) {
    if (error instanceof ApiError) return refusal(request, error);
    throw error;
  }
}

function refusal(request: AnyRequest, error: ApiError): ApiResponse {
  // Whatever the client still sends would be read as its next request.
  const unread = request.complete || 'stream' in request ? {} : { connection: 'close' };
  const retryAfter = error.details?.retryAfterSeconds;
  const later = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const contentType = negotiatePlain(request.headers.accept);
  return { status: error.code, headers: { 'content-type': contentType, ...unread, ...later }, body: error.toStatus() };
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
