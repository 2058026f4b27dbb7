import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ApiResponse, Runtime } from '@outrigger/core';
import type { ServedWatchEvent, ServedWatchEvents } from '../../handle/contract.js';
import { CHUNK_BYTES, encodeBody } from '../encode.js';

export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Responses of at least this size are compressed for clients that accept it, as on a Kubernetes API server. */
const GZIP_BYTES = 128 * 1024;

/** The time in milliseconds for which the server waits for a slow client. */
export interface Patience {
  readonly runtime: Runtime;
  readonly ms: number;
}

export interface AnswerOptions {
  readonly withoutBody: boolean;
  readonly acceptsGzip: boolean;
  readonly patience: Patience;
}

/** Sends a response that is not a watch. */
export async function sendAnswer(response: AnyResponse, answer: ApiResponse, options: AnswerOptions): Promise<void> {
  const contentType = answer.headers['content-type'] ?? 'application/json';
  const pieces = encodeBody(answer.body, contentType);
  const first = pieces.next();
  const start = first.done ? new Uint8Array(0) : first.value;
  writeHead(response, answer, { 'content-type': contentType });
  if (options.withoutBody) {
    response.end();
    return;
  }
  if (start.length < CHUNK_BYTES) {
    response.setHeader('content-length', start.length);
    response.end(start);
    return;
  }
  const gathered = gather(start, pieces);
  if (options.acceptsGzip && gathered.length >= GZIP_BYTES) await sendCompressed(response, gathered.all(), options.patience);
  else await sendPieces(response, gathered.all(), options.patience);
}

/**
 * Sends watch events as they arrive. If the client stops reading, the response ends, and the client resumes from the last version that it
 * received.
 */
export async function sendEvents(response: AnyResponse, answer: ApiResponse, patience: Patience): Promise<void> {
  writeHead(response, answer, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
  (response as ServerResponse).flushHeaders(); // The HTTP/2 type declarations lack `flushHeaders`, but the class has it.
  const events = answer.events as ServedWatchEvents;
  for await (const event of events) {
    const written = write(response, withWaiting(event, events), patience);
    if (!(written === true || (await written))) break;
  }
  endOrCut(response, patience);
}

/** Returns the bytes of an event and of all queued events, because one large write costs little more than a small one. */
function withWaiting(event: ServedWatchEvent, events: ServedWatchEvents): Uint8Array {
  const lines = [event.line];
  for (let length = event.line.length; length < CHUNK_BYTES; ) {
    const next = events.poll?.();
    if (!next) break;
    lines.push(next.line);
    length += next.line.length;
  }
  return lines.length === 1 ? event.line : Buffer.concat(lines);
}

/** Ends the response cleanly. If the client does not read it in time, the connection is closed. */
function endOrCut(response: AnyResponse, { runtime, ms }: Patience): void {
  response.end();
  const cancel = runtime.timers.after(ms, () => response.destroy());
  response.once('close', cancel);
}

function writeHead(response: AnyResponse, answer: ApiResponse, headers: Readonly<Record<string, string>>): void {
  response.statusCode = answer.status;
  const all = { 'cache-control': 'no-cache, private', ...answer.headers, ...headers };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, headerBytes(value));
}

/**
 * Returns a header value whose characters are the UTF-8 bytes of `text`, as a Kubernetes API server sends it. Node.js sends each character
 * as one byte and rejects a character above U+00FF, which a warning can contain because it names a field of the request.
 */
function headerBytes(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Encodes only as much of the body as is needed to decide whether to compress it. */
function gather(first: Uint8Array, rest: Generator<Uint8Array>): { readonly length: number; all(): Generator<Uint8Array> } {
  const taken = [first];
  let length = first.length;
  while (length < GZIP_BYTES) {
    const next = rest.next();
    if (next.done) break;
    taken.push(next.value);
    length += next.value.length;
  }
  return {
    length,
    *all() {
      yield* taken;
      yield* rest;
    },
  };
}

async function sendCompressed(response: AnyResponse, pieces: Iterable<Uint8Array>, patience: Patience): Promise<void> {
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
  await sendPieces(response, Readable.from(pieces, { objectMode: true, highWaterMark: 1 }).pipe(createGzip({ level: 1 })), patience);
}

async function sendPieces(
  response: AnyResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  patience: Patience,
): Promise<void> {
  for await (const piece of pieces) {
    if (await write(response, piece, patience)) continue;
    // An incomplete response must not look complete to the client, so the connection is destroyed.
    response.destroy();
    return;
  }
  response.end();
}

/**
 * Writes bytes. The result is true when the client can receive more data, and false if the client has disconnected or stalled for too long.
 */
function write(response: AnyResponse, bytes: Uint8Array, { runtime, ms }: Patience): boolean | Promise<boolean> {
  if (isGone(response)) return false;
  // HTTP/1 and HTTP/2 declare `write` with different overloads.
  if ((response as ServerResponse).write(bytes)) return true;
  return new Promise((resolve) => {
    const settle = (drained: boolean): void => {
      cancel();
      response.removeListener('drain', onDrain);
      response.removeListener('close', onClose);
      resolve(drained);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    const cancel = runtime.timers.after(ms, () => settle(false));
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

function isGone(response: AnyResponse): boolean {
  return response.destroyed || response.writableEnded || response.socket?.destroyed === true;
}
