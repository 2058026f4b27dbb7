import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A request to a server that is not a Kubernetes API server, such as a metrics provider. */
export interface BoundedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM certificates with which the server's certificate is verified. Defaults to the certificates of the system. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
  /** The maximum size of the response. A longer response is an error. */
  readonly maxBytes: number;
}

export interface BoundedResponse {
  readonly status: number;
  readonly body: string;
}

export type SendBounded = (request: BoundedRequest, signal: AbortSignal) => Promise<BoundedResponse>;

/**
 * Sends one request on a separate connection. The whole exchange has a deadline and the response has a size limit. Redirects are not
 * followed; the caller gets the response with its status.
 */
export const sendBounded: SendBounded = async ({ method, url, headers, body, ca, timeoutMs, maxBytes }, signal) => {
  const deadline = AbortSignal.timeout(timeoutMs);
  const both = AbortSignal.any([signal, deadline]);
  both.throwIfAborted();
  const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
  try {
    return await new Promise<BoundedResponse>((resolve, reject) => {
      const outgoing = send(url, { method, headers: { ...headers }, agent: false, signal: both, ...(ca === undefined ? {} : { ca }) });
      outgoing.once('error', reject);
      outgoing.once('response', (response) => {
        read(response, maxBytes).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
      });
      outgoing.end(body);
    });
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new Error(`no complete response within ${timeoutMs / 1000} s`, { cause: error });
    throw error;
  }
};

async function read(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw new Error(`the response is longer than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
