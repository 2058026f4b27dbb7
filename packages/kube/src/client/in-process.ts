import type { ApiRequest, ApiResponse, Transport } from '@outrigger/core';
import { ConnectionError } from './connection-error.js';
import { linkSignals, untilAborted } from './signals.js';

export type RequestHandler = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

/**
 * A server in this process, as a transport: objects are handed over as they are, nothing is encoded. The caller binds the identity
 * the handler sees. Closing ends every request and watch that is still open.
 */
export function createInProcessTransport(handler: RequestHandler, server = 'in-process'): Transport {
  const closing = new AbortController();
  return {
    async send(request, signal) {
      const linked = linkSignals([signal, closing.signal]);
      let isStreaming = false;
      try {
        const response = await untilAborted(handler(request, linked.signal), linked.signal);
        isStreaming = response.events !== undefined;
        return response.events ? { ...response, events: releasing(response.events, linked.release) } : response;
      } finally {
        if (!isStreaming) linked.release();
      }
    },
    async close() {
      closing.abort(new ConnectionError(`${server}: the transport was closed`, { code: 'CLOSED', server, sent: false }));
    },
  };
}

async function* releasing<T>(events: AsyncIterable<T>, release: () => void): AsyncGenerator<T> {
  try {
    yield* events;
  } finally {
    release();
  }
}
