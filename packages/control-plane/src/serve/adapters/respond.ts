import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { createGzip } from 'node:zlib';
import type { ApiResponse, Runtime } from '@outrigger/core';
import type { ServedWatchEvent } from '../../handle/contract.js';
import { CHUNK_BYTES, encodeBody } from '../encode.js';

export type AnyResponse = ServerResponse | Http2ServerResponse;

/** Answers from here on are compressed for clients that accept it, as a Kubernetes API server does. */
const GZIP_BYTES = 128 * 1024;
/** A client that takes nothing for this long is given up; what it misses it learns by listing again. */
const STALLED_MS = 30_000;

export interface AnswerOptions {
  readonly withoutBody: boolean;
  readonly acceptsGzip: boolean;
  readonly runtime: Runtime;
}

/** Sends an answer that is not a watch. */
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
  if (options.acceptsGzip && gathered.length >= GZIP_BYTES) await sendCompressed(response, gathered.all(), options.runtime);
  else await sendPieces(response, gathered.all(), options.runtime);
}

/** Sends watch events as they come; ends with the stream, or when the client stopped reading. */
export async function sendEvents(response: AnyResponse, answer: ApiResponse, runtime: Runtime): Promise<void> {
  writeHead(response, answer, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
  (response as ServerResponse).flushHeaders(); // missing from the HTTP/2 declarations, not from the class
  for await (const event of answer.events as AsyncIterable<ServedWatchEvent>) {
    if (!(await write(response, event.line, runtime))) break;
  }
  response.end();
}

function writeHead(response: AnyResponse, answer: ApiResponse, headers: Readonly<Record<string, string>>): void {
  response.statusCode = answer.status;
  const all = { 'cache-control': 'no-cache, private', ...answer.headers, ...headers };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
}

/** Encodes far enough to know whether compression pays, and no further. */
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

async function sendCompressed(response: AnyResponse, pieces: Iterable<Uint8Array>, runtime: Runtime): Promise<void> {
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
  const gzip = createGzip({ level: 1 });
  const feeding = (async () => {
    for (const piece of pieces) if (!gzip.write(piece)) await once(gzip, 'drain');
    gzip.end();
  })();
  try {
    await sendPieces(response, gzip as AsyncIterable<Uint8Array>, runtime);
  } finally {
    gzip.destroy();
  }
  await feeding;
}

async function sendPieces(
  response: AnyResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  runtime: Runtime,
): Promise<void> {
  for await (const piece of pieces) if (!(await write(response, piece, runtime))) return;
  response.end();
}

/** Resolves when the client can take more; false if it is gone or has stalled for too long. */
async function write(response: AnyResponse, bytes: Uint8Array, runtime: Runtime): Promise<boolean> {
  if (isGone(response)) return false;
  // HTTP/1 and HTTP/2 declare the same method with different overloads.
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
    const cancel = runtime.timers.after(STALLED_MS, () => settle(false));
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}

function isGone(response: AnyResponse): boolean {
  return response.destroyed || response.writableEnded || response.socket?.destroyed === true;
}
