import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';

/** The connection data of one caller: the server, and a certificate or a token. */
export interface Caller {
  readonly url: string;
  readonly caPem: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  readonly token?: string;
}

export interface Request {
  readonly method?: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A minimal client that sends exactly what the caller passes. */
export class Http {
  readonly #caller: Caller;
  readonly #agent: Agent;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#agent = new Agent({
      keepAlive: true,
      ca: caller.caPem,
      ...(caller.certPem !== undefined && { cert: caller.certPem }),
      ...(caller.keyPem !== undefined && { key: caller.keyPem }),
    });
  }

  async send(request: Request, signal?: AbortSignal): Promise<Response> {
    const message = await this.open(request, signal);
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return { status: message.statusCode ?? 0, headers: message.headers, text: Buffer.concat(chunks).toString() };
  }

  /** Sends a request. Resolves when the headers have arrived; the body is a stream. */
  open({ method = 'GET', path, headers = {}, body }: Request, signal?: AbortSignal): Promise<IncomingMessage> {
    const bytes = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const options: RequestOptions = {
      method,
      agent: this.#agent,
      headers: {
        accept: 'application/json',
        ...(bytes !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
        ...(this.#caller.token !== undefined && { authorization: `Bearer ${this.#caller.token}` }),
        ...headers,
      },
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(`${this.#caller.url}${path}`, options, resolve);
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
