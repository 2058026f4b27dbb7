import { ApiError, type Runtime } from '@outrigger/core';
import type { Limits } from '../limits.js';
import type { AnyRequest } from './peer.js';

/** Reads the whole body of a request. Rejects as soon as the limit is exceeded, even if the client is still sending. */
export function readBody(request: AnyRequest, runtime: Runtime, { bodyBytes, bodyMs }: Limits): Promise<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return Promise.reject(tooLarge(bodyBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: Error): void => {
      cancel();
      request.pause();
      reject(error);
    };
    const cancel = runtime.timers.after(bodyMs, () => {
      fail(new ApiError('Timeout', `the request's body did not arrive within ${bodyMs / 1000} seconds`, { code: 408 }));
    });
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > bodyBytes) fail(tooLarge(bodyBytes));
    });
    request.on('end', () => {
      cancel();
      resolve(Buffer.concat(chunks));
    });
    request.on('error', fail);
    request.on('close', () => fail(new Error('the connection closed before the request was complete')));
  });
}

function tooLarge(limit: number): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}
