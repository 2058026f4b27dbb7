import { ApiError, type Runtime } from '@outrigger/core';
import type { AnyRequest } from './peer.js';

/** What a Kubernetes API server accepts at most. */
export const BODY_LIMIT_BYTES: number = 3 * 1024 * 1024;
/** How long a client may take over its body; legitimate ones need milliseconds. */
const BODY_TIMEOUT_MS = 30_000;

/** Reads a request's body whole. Refuses the moment the limit is passed, however much more the client meant to send. */
export function readBody(request: AnyRequest, runtime: Runtime): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: Error): void => {
      cancel();
      request.pause();
      reject(error);
    };
    const cancel = runtime.timers.after(BODY_TIMEOUT_MS, () => {
      fail(new ApiError('Timeout', `the request's body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds`, { code: 408 }));
    });
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > BODY_LIMIT_BYTES) fail(tooLarge());
    });
    request.on('end', () => {
      cancel();
      resolve(Buffer.concat(chunks));
    });
    request.on('error', fail);
    request.on('close', () => fail(new Error('the connection closed before the request was complete')));
  });
}

function tooLarge(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${BODY_LIMIT_BYTES}`);
}
