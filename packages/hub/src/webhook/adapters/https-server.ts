import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { type Runtime, checkJsonText } from '@outrigger/core';
import type { IssuedCertificate } from '@outrigger/core/x509';
import { listenBounded } from '@outrigger/kube/node';
import { WEBHOOK_PATHS, type WebhookResponse, headersProblem } from '../respond.js';

export interface HttpsServer {
  readonly port: number;
  /** Serves new connections with this certificate from now on. */
  use(certificate: IssuedCertificate): void;
  close(): Promise<void>;
}

export interface HttpsServerOptions {
  readonly runtime: Runtime;
  readonly port: number;
  readonly host?: string;
  readonly certificate: IssuedCertificate;
  /** The clients that may send requests. If undefined, every client may. Every client may request `/healthz`. */
  readonly clients?: WebhookClients;
  /** Maximum total size of all request bodies that are being read, so that many connections cannot exhaust memory. */
  readonly maxHeldBytes?: number;
  /** Maximum number of open connections. */
  readonly maxConnections?: number;
  readonly respond: (path: string, body: unknown) => Promise<WebhookResponse>;
}

/** The API server's client certificates. */
export interface WebhookClients {
  /** PEM of the authorities that issue the client certificates. */
  readonly ca: string;
  /** The allowed common names. If empty, every certificate from the authorities is allowed. */
  readonly names: readonly string[];
}

/**
 * The maximum size of a body. It is larger than any request from an API server, because an object has at most 1.5 MiB and a review contains
 * two objects.
 */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/**
 * The maximum nesting of a body. An API server decodes at most 10,000 levels, and a review adds a few. A deeper body comes from another
 * client and is rejected, because `JSON.parse` takes seconds for megabytes of brackets.
 */
const MAX_DEPTH = 10_100;
/**
 * The maximum number of values in a body. Two objects of 1.5 MiB contain fewer, unless most of their values have only a few bytes.
 * `JSON.parse` takes about half a second for so many values, and every other review waits meanwhile.
 */
const MAX_VALUES = 400_000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** The default of `maxConnections`. It is more than an API server needs, which uses one connection per review in progress. */
const MAX_CONNECTIONS = 500;
const REQUEST_TIMEOUT_MS = 10_000;
/** The timeout for the TLS handshake, and for the headers of a request. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const GRACE_MS = 5_000;

export async function listenHttps(options: HttpsServerOptions): Promise<HttpsServer> {
  const { runtime, port, host, certificate, clients, respond } = options;
  const bodies = new HeldBytes(options.maxHeldBytes ?? MAX_HELD_BYTES);
  const trust = clients ? { ca: clients.ca } : {};
  const tls = ({ certificate: cert, privateKey: key }: IssuedCertificate): SecureContextOptions => ({ cert, key, ...trust });
  // Accept TLS clients without a certificate, because the kubelet calls /healthz without one. On other paths such clients get 401.
  const demand = clients ? { requestCert: true, rejectUnauthorized: false } : {};
  const patience = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 5,
  };
  const server = createServer({ ...tls(certificate), ...demand, ...patience }, (request, response) => {
    const answer = ({ status, body }: WebhookResponse): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const contentType = typeof body === 'string' ? 'text/plain' : 'application/json';
      // If the body was not read completely, close the connection, so that its remaining bytes are not received.
      response.writeHead(status, { 'content-type': contentType, ...(request.complete ? {} : { connection: 'close' }) }).end(text);
    };
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const isHealth = path === WEBHOOK_PATHS.health;
    const stranger = clients && !isHealth ? strangerProblem(request.socket as TLSSocket, clients) : undefined;
    if (stranger !== undefined) return answer({ status: 401, body: stranger });
    const problem = isHealth ? undefined : headersProblem(request.method, request.headers['content-type']);
    if (problem) return answer(problem);
    (isHealth ? Promise.resolve() : readBody(request, bodies))
      .then((body) => respond(path, body))
      .then(answer, (error: unknown) => {
        runtime.log.warn({ path, error: error instanceof Error ? error.message : String(error) }, 'webhook request failed');
        answer({ status: 400, body: 'the request could not be read' });
      });
  });
  const maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  const listening = await listenBounded(server, runtime, { port, host, maxConnections, graceMs: GRACE_MS });
  return { ...listening, use: (next) => server.setSecureContext(tls(next)) };
}

/** Why the client is not allowed; undefined if it is allowed. */
function strangerProblem(socket: TLSSocket, { names }: WebhookClients): string | undefined {
  if (!socket.authorized) return 'a client certificate of the API server is needed';
  const { CN: name } = socket.getPeerCertificate().subject;
  return names.length === 0 || (typeof name === 'string' && names.includes(name))
    ? undefined
    : `the client certificate names ${JSON.stringify(name)}, which may not ask`;
}

async function readBody(request: IncomingMessage, held: HeldBytes): Promise<unknown> {
  const reader = new BodyReader(held);
  try {
    const body = await reader.read(request);
    checkJsonText(body, {
      maxDepth: MAX_DEPTH,
      tooDeep: () => new Error(`nested deeper than ${MAX_DEPTH} levels`),
      maxValues: MAX_VALUES,
      tooMany: () => new Error(`more than ${MAX_VALUES} values`),
    });
    return JSON.parse(body.toString('utf8')) as unknown;
  } finally {
    held.release(reader);
  }
}

/** Reads one body. It may be dropped while it is read, to make room for other bodies. */
class BodyReader {
  readonly #held: HeldBytes;
  #chunks: Buffer[] = [];
  #reject: ((error: Error) => void) | undefined;
  #isDropped = false;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  read(request: IncomingMessage): Promise<Buffer> {
    const dropped = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    return Promise.race([this.#readAll(request), dropped]);
  }

  drop(): void {
    this.#isDropped = true;
    this.#chunks = [];
    this.#reject?.(new Error('too many requests at once'));
  }

  async #readAll(request: IncomingMessage): Promise<Buffer> {
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`);
      // A chunk that arrives after the drop is not counted, because nothing would release it.
      if (this.#isDropped) break;
      this.#chunks.push(chunk);
      this.#held.add(this, chunk.length);
    }
    return Buffer.concat(this.#chunks);
  }
}

/**
 * Counts the bytes of all request bodies that are being read. Above the limit it drops the largest body, so that clients that never end
 * their bodies do not keep the reviews of the API server out.
 */
class HeldBytes {
  readonly #limit: number;
  readonly #held = new Map<BodyReader, number>();
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(reader: BodyReader, bytes: number): void {
    this.#held.set(reader, (this.#held.get(reader) ?? 0) + bytes);
    this.#count += bytes;
    if (this.#count <= this.#limit) return;
    const [largest] = [...this.#held].reduce((most, one) => (one[1] > most[1] ? one : most));
    this.release(largest);
    largest.drop();
  }

  release(reader: BodyReader): void {
    this.#count -= this.#held.get(reader) ?? 0;
    this.#held.delete(reader);
  }
}
