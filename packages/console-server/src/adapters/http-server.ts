import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import { Server as TlsServer, createServer as createTlsServer } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Runtime, errorMessage } from '@outrigger/core';
import { listenBounded } from '@outrigger/kube/node';
import type { App } from '../http/app.js';
import { type HttpAnswer, type HttpRequest, type Sink, failure } from '../http/messages.js';

export interface ConsoleServerOptions {
  readonly runtime: Runtime;
  readonly app: App;
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** Certificate and key as PEM. Without them the server uses plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Maximum number of open connections. */
  readonly maxConnections?: number;
}

export interface ConsoleServer {
  readonly port: number;
  /** Serves new connections with another certificate. Has no effect on a server that uses plain HTTP. */
  useCertificate(tls: NonNullable<ConsoleServerOptions['tls']>): void;
  close(): Promise<void>;
}

/** Maximum size of a request body. Actions and tokens are smaller. */
const MAX_BODY_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const GRACE_MS = 2_000;
/**
 * The maximum number of open connections. A browser opens up to six, and each open page of the console keeps one of them for its event
 * stream.
 */
const MAX_CONNECTIONS = 1_000;
/** The minimum size of a response that is compressed. */
const COMPRESS_FROM_BYTES = 1_024;
/** A connection with more unsent data than this counts as busy. */
const MAX_WAITING_BYTES = 1024 * 1024;

export async function serveConsole({ runtime, app, tls, ...at }: ConsoleServerOptions): Promise<ConsoleServer> {
  const streams = new Set<ServerResponse>();
  const listener: RequestListener = (request, response) => {
    serve({ runtime, app, streams }, request, response).catch((error: unknown) => {
      // A client that disconnects during its request is not an error of the console, so do not log it.
      if (!request.socket.destroyed) runtime.log.warn({ error: errorMessage(error) }, 'console request could not be answered');
      response.destroy();
    });
  };
  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 32 * 1024 };
  const server: Server = tls ? createTlsServer({ ...limits, ...tls }, listener) : createServer(limits, listener);
  const listening = await listenBounded(server, runtime, { maxConnections: MAX_CONNECTIONS, graceMs: GRACE_MS, ...at });
  return {
    port: listening.port,
    useCertificate(pair) {
      if (server instanceof TlsServer) server.setSecureContext(pair);
    },
    close() {
      for (const response of streams) response.end();
      return listening.close();
    },
  };
}

interface Serving {
  readonly runtime: Runtime;
  readonly app: App;
  readonly streams: Set<ServerResponse>;
}

async function serve({ runtime, app, streams }: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const { method = 'GET', url = '/' } = request;
  const answer =
    body === undefined ? failure('too-large', 'the body is too large') : await app({ method, url, headers: headersOf(request), body });
  if (response.destroyed) return;
  if ('stream' in answer) stream(answer, response, { runtime, streams });
  else await send(answer, request, response);
}

async function send(answer: Extract<HttpAnswer, { body: unknown }>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accepts = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const isCompressed = accepts && answer.body.length >= COMPRESS_FROM_BYTES;
  const body = isCompressed ? await promisify(gzip)(answer.body) : Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...answer.headers,
    vary: 'accept-encoding, cookie, authorization',
    'content-length': String(body.length),
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    // If the server did not read the whole request body, close the connection instead of receiving the remaining bytes.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function stream(
  answer: Extract<HttpAnswer, { stream: unknown }>,
  response: ServerResponse,
  { runtime, streams }: Pick<Serving, 'runtime' | 'streams'>,
): void {
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  streams.add(response);
  let cancel: (() => void) | undefined;
  const sink: Sink = {
    send: (data) => void response.write(`data: ${data}\n\n`),
    get isBusy() {
      return response.writableLength > MAX_WAITING_BYTES;
    },
    close() {
      response.end();
      // A browser that has stopped reading never receives the end of the stream, so close its connection after a grace period.
      cancel ??= runtime.timers.after(GRACE_MS, () => response.destroy());
    },
  };
  const stop = answer.stream(sink);
  response.on('close', () => {
    streams.delete(response);
    cancel?.();
    stop();
  });
}

/** Returns the body of a request, or undefined if it is larger than `MAX_BODY_BYTES`. Stops reading at this limit. */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_BODY_BYTES) return;
      request.pause();
      resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}

/** A duplicate credential or Host header is ambiguous, so its values are joined, and the joined value is rejected as invalid. */
function headersOf({ headersDistinct }: IncomingMessage): HttpRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(name === 'cookie' ? '; ' : ', ')]),
  );
}
