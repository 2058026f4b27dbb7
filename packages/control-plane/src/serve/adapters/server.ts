import { constants, createSecureServer, type Http2SecureServer, type SecureServerOptions } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { ApiError, type ApiResponse, errorMessage, type Runtime } from '@outrigger/core';
import { isMaster } from '../../authz/authorizer.js';
import { ANONYMOUS } from '../../auth/identities.js';
import type { HeaderLines } from '../../auth/impersonation.js';
import type { Permits } from '../../handle/authorize.js';
import type { Handle, Identity } from '../../handle/contract.js';
import { negotiatePlain } from '../../request/negotiate.js';
import { isWatchRequest } from '../../handle/verb.js';
import { authenticate, type AuthenticationServices } from '../authenticate.js';
import { FairQueue } from '../fair-queue.js';
import { LIMITS, type Limits } from '../limits.js';
import { OpenWatches } from '../open-watches.js';
import { headerLines, hostProblem, parseRequest, withBody } from '../parse.js';
import { type AnyRequest, connectionCredential } from './peer.js';
import { OpenRequests, shutDown, trackConnections } from './connections.js';
import { readBody } from './read-body.js';
import { type AnyResponse, sendAnswer, sendEvents } from './respond.js';
import { type StrangerCounts, Strangers } from './strangers.js';
import { UnreadAnswers } from './unread-answers.js';

const REQUEST_TIMEOUT = 408;
/** The longest delay of a Node.js timer, in milliseconds. Watches last less than this. */
const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

export interface ServerOptions extends AuthenticationServices {
  readonly runtime: Runtime;
  readonly handle: Handle;
  readonly permits: Permits;
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  readonly privateKey: string;
  /** The CA certificate that client certificates must be signed by. */
  readonly clientAuthority: string;
  readonly limits?: Partial<Limits>;
}

export interface RunningServer {
  readonly port: number;
  /** Statistics on connections without a valid credential. */
  readonly strangers: StrangerCounts;
  /** Ends watches, asks HTTP/2 clients to open new connections, waits for responses in progress, then closes. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...LIMITS, ...options.limits };
  const open = new OpenRequests();
  const queue = new FairQueue({ concurrent: limits.concurrentRequests, waitingPerCaller: limits.waitingPerCaller });
  const secure: SecureServerOptions & { readonly maxHeaderSize: number } = {
    cert: options.certificate,
    key: options.privateKey,
    ca: options.clientAuthority,
    requestCert: true,
    // TLS accepts connections without a valid certificate; authentication handles their requests.
    rejectUnauthorized: false,
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.handshakeMs,
    maxSessionMemory: limits.sessionMemoryMb,
    maxHeaderSize: limits.headerBytes,
    settings: { maxConcurrentStreams: limits.streamsPerSession, maxHeaderListSize: limits.headerBytes },
  };
  const watches = new OpenWatches(limits.watchesPerUser);
  const server = createSecureServer(secure);
  const connections = trackConnections(server, limits, () => options.runtime.clock.monotonic());
  const unread = new UnreadAnswers(options.runtime, limits.stalledMs);
  const strangers = new Strangers(server, limits, () => options.runtime.clock.monotonic());
  server.on('request', (request, response) => void answer(request, response, { options, limits, open, queue, watches, strangers, unread }));
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    get strangers() {
      return strangers.counts;
    },
    close() {
      unread.stop();
      return shutDown(server, connections, open, { runtime: options.runtime, ms: limits.drainMs });
    },
  };
}

/** The state that all requests of one server share. */
interface Serving {
  readonly options: ServerOptions;
  readonly limits: Limits;
  readonly open: OpenRequests;
  readonly queue: FairQueue;
  readonly watches: OpenWatches;
  readonly strangers: Strangers;
  readonly unread: UnreadAnswers;
}

/**
 * Whether the client lists gzip without a quality value. As on a real server, gzip with a quality value is ignored, because the value may
 * be 0.
 */
function acceptsGzip({ headers }: AnyRequest): boolean {
  return String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => coding.trim() === 'gzip');
}

async function answer(request: AnyRequest, response: AnyResponse, serving: Serving): Promise<void> {
  const { options, limits, open } = serving;
  const signal = open.begin(response, request.method === 'GET');
  try {
    const result = await dispatch(request, response, serving, signal);
    leaveUnread(request, response, result.status, limits);
    if (open.isStopping && 'shouldKeepAlive' in response) response.shouldKeepAlive = false;
    const patience = { runtime: options.runtime, ms: limits.stalledMs };
    if (result.events) await sendEvents(response, result, patience);
    else {
      await sendAnswer(response, result, { withoutBody: request.method === 'HEAD', acceptsGzip: acceptsGzip(request), patience });
      serving.unread.add(response);
    }
  } catch (error) {
    abandon(request, response, error, options.runtime);
  }
}

/** Parses, authenticates and handles a request. Never rejects because of a client error; such errors are sent as responses. */
async function dispatch(
  request: AnyRequest,
  response: AnyResponse,
  serving: Serving,
  signal: AbortSignal | undefined,
): Promise<ApiResponse> {
  const { options, limits, queue } = serving;
  try {
    const lines = headerLines(request.rawHeaders);
    const problem = 'stream' in request ? undefined : hostProblem(request.httpVersion, lines);
    if (problem !== undefined) return misdirected(problem);
    const parsed = parseRequest(request.method ?? '', request.url ?? '/', lines);
    const identity = await identify(request, lines, serving);
    // The body of an unauthorized request is not read, because the handler rejects the request without it.
    const isRead = parsed.method !== 'GET' && (isMaster(identity) || (await options.permits(parsed, identity)));
    const body = isRead ? await readBody(request, options.runtime, limits) : new Uint8Array(0);
    if (isWatchRequest(parsed)) boundWatch(request, response, identity, serving);
    const ask = (): Promise<ApiResponse> => options.handle(withBody(parsed, body), identity, signal);
    return await (isMaster(identity) ? ask() : queue.run(identity.user, ask));
  } catch (error) {
    if (error instanceof ApiError) return refusal(request, error);
    throw error;
  }
}

/** Limits the number of open watches of the user, and ends this watch when the certificate of its connection expires. */
function boundWatch(request: AnyRequest, response: AnyResponse, identity: Identity, { options, watches }: Serving): void {
  if (!isMaster(identity)) response.once('close', watches.begin(identity.user));
  const credential = connectionCredential(request);
  const left = typeof credential === 'object' ? credential.expiresAt - options.now() : Number.POSITIVE_INFINITY;
  // If the certificate has expired, the request was authenticated by a token, so the certificate does not limit the watch.
  if (left <= 0 || left > LONGEST_TIMER_MS) return;
  response.once(
    'close',
    options.runtime.timers.after(left, () => response.destroy()),
  );
}

async function identify(request: AnyRequest, lines: HeaderLines, { options, strangers }: Serving): Promise<Identity> {
  try {
    const identity = await authenticate(connectionCredential(request), lines, options);
    if (identity.user === ANONYMOUS.user) strangers.doubt(request);
    else strangers.recognize(request);
    return identity;
  } catch (error) {
    strangers.doubt(request);
    throw error;
  }
}

/**
 * Handles a request whose body was not read completely. The rest of the body must not be parsed as the next request, and must not be
 * discarded without limit. If the body is large, has an unknown size or did not arrive in time, the connection is closed after the
 * response; an HTTP/2 stream is closed with its response.
 */
function leaveUnread(request: AnyRequest, response: AnyResponse, status: number, { discardedBytes }: Limits): void {
  if (request.complete) return;
  if ('stream' in request) {
    const { stream } = request;
    response.once('finish', () => {
      if (!request.complete && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
    });
    return;
  }
  const length = Number(request.headers['content-length'] ?? (request.headers['transfer-encoding'] === undefined ? 0 : Number.NaN));
  if (status === REQUEST_TIMEOUT || !(length <= discardedBytes)) response.setHeader('connection', 'close');
}

/** Returns the response to a request without a valid Host header, in the format of Go's HTTP server. The connection is closed. */
function misdirected(problem: string): ApiResponse {
  return {
    status: 400,
    headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
    body: problem,
  };
}

function refusal(request: AnyRequest, error: ApiError): ApiResponse {
  const retryAfter = error.details?.retryAfterSeconds;
  const later = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const contentType = negotiatePlain(request.headers.accept);
  return { status: error.code, headers: { 'content-type': contentType, ...later }, body: error.toStatus() };
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
