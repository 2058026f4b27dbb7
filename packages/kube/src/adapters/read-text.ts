import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Readable, addAbortSignal } from 'node:stream';

/**
 * The maximum size of a file. Files of objects or credentials are smaller. Without a limit, a file such as /dev/zero would be read forever.
 */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a text file. If the file is a named pipe, no thread waits for a writer of the pipe, because a thread that is blocked in a system
 * call ignores the signal and keeps the process from ending.
 */
export async function readText(path: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // Both types of streams close the file descriptor when they end.
  return collect(fstatSync(fd).isFIFO() ? new Socket({ fd, writable: false }) : createReadStream(path, { fd }), signal);
}

/** Reads a stream to its end, as text. Rejects with the reason of the signal if the signal is aborted before the end. */
export async function collect(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`the text has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks).toString('utf8');
}
