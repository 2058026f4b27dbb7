import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ApiRequest, type ApiResponse, errorMessage, type Runtime, type WatchEvent } from '@outrigger/core';
import { ConnectionError } from '../../client/connection-error.js';
import { createLineSplitter } from '../../client/wire/lines.js';
import { ListDecoder } from '../../client/wire/list-decoder.js';
import type { Answer } from './carrier.js';

export interface DecodeOptions {
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly server: string;
  readonly maxLineBytes: number;
}

/**
 * Responses up to this size are parsed with one `JSON.parse`. This takes a quarter less time than parsing item by item, and blocks the
 * thread only briefly (about 8 ms for a page of a reflector's list). Larger lists are parsed item by item as they arrive.
 */
const WHOLE_BYTES = 2 * 1024 * 1024;

/**
 * After this much work the reader yields to the event loop, so that timers, such as the renewal of the leader's lease, are not delayed.
 * Node reads megabytes at a time from a fast socket, so no other task would run while bytes keep arriving.
 */
const WORK_MS = 8;

/** A read of at least this many bytes is large (see `gathered`). This is half of the size of an HTTP client's read buffer. */
const LARGE_READ_BYTES = 32 * 1024;

/** Reads a response. A watch is read event by event, any other response completely. */
export async function decode(request: ApiRequest, answer: Answer, options: DecodeOptions, signal?: AbortSignal): Promise<ApiResponse> {
  const { status, headers } = answer;
  if (request.watch && status === 200) {
    const { gatherMs = 0 } = request;
    const body = gatherMs > 0 ? gathered(answer.body, gatherMs, options.runtime, signal) : answer.body;
    return { status, headers, events: readEvents(paced(body, options.runtime), options) };
  }
  const bytes = paced(headers['content-encoding'] === 'gzip' ? gunzip(answer.body) : answer.body, options.runtime);
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '');
  try {
    const body = isJson ? await readJson(bytes) : await readText(bytes);
    return body === undefined ? { status, headers } : { status, headers, body };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badAnswer(`the answer to ${request.method} ${request.path} is not JSON: ${error.message}`, options.server, error);
  }
}

async function* paced(body: AsyncIterable<Uint8Array>, { clock, timers }: DecodeOptions['runtime']): AsyncGenerator<Uint8Array> {
  let startedAt = clock.monotonic();
  for await (const chunk of body) {
    yield chunk;
    if (clock.monotonic() - startedAt < WORK_MS) continue;
    await timers.yield();
    startedAt = clock.monotonic();
  }
}

/**
 * Waits after each read, so that the next read returns all bytes that arrived meanwhile. Does not wait after a large read, because more
 * bytes may have arrived already, and a server ends a watch whose client reads too slowly.
 */
async function* gathered(
  body: AsyncIterable<Uint8Array>,
  gatherMs: number,
  { timers }: DecodeOptions['runtime'],
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    if (chunk.length < LARGE_READ_BYTES) await timers.sleep(gatherMs, signal);
  }
}

async function* readEvents(body: AsyncIterable<Uint8Array>, { server, maxLineBytes }: DecodeOptions): AsyncGenerator<WatchEvent> {
  const splitter = createLineSplitter(maxLineBytes);
  try {
    for await (const chunk of body) {
      for (const line of splitter.push(chunk)) yield JSON.parse(line) as WatchEvent;
    }
    const rest = splitter.rest();
    if (rest !== undefined) yield JSON.parse(rest) as WatchEvent;
  } catch (error) {
    if (error instanceof Error && (error.name === 'SyntaxError' || error.name === 'RangeError')) {
      throw badAnswer(`a watch event cannot be read: ${errorMessage(error)}`, server, error);
    }
    throw error;
  }
}

async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const first: Uint8Array[] = [];
  let bytes = 0;
  let decoder: ListDecoder | undefined;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (decoder) {
      decoder.push(chunk);
      continue;
    }
    first.push(chunk);
    if (bytes <= WHOLE_BYTES) continue;
    decoder = new ListDecoder();
    for (const part of first) decoder.push(part);
  }
  if (decoder) return decoder.end();
  return bytes === 0 ? undefined : JSON.parse(Buffer.concat(first, bytes).toString('utf8'));
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : text;
}

function gunzip(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // The returned stream throws the errors of both streams.
  return pipeline(Readable.from(body), createGunzip(), () => undefined);
}

function badAnswer(problem: string, server: string, cause: unknown): ConnectionError {
  return new ConnectionError(`${server}: ${problem}`, { cause, code: 'BAD_ANSWER', server, sent: true });
}
