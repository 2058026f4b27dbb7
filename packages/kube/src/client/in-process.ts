import type { ApiRequest, ApiResponse, Transport } from '@outrigger/core';
import { ConnectionError } from './connection-error.js';
import { type LinkedSignal, linkSignals, untilAborted } from './signals.js';

export type RequestHandler = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

/**
 * A transport to a server in the same process. Objects are passed without encoding. The caller sets the identity that the handler sees.
 * Closing the transport ends all open requests and watches.
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
        return response.events ? { ...response, events: following(response.events, linked) } : response;
      } finally {
        if (!isStreaming) linked.release();
      }
    },
    async close() {
      closing.abort(new ConnectionError(`${server}: the transport was closed`, { code: 'CLOSED', server, sent: false }));
    },
  };
}

/** Forwards events. Ends when the signal aborts, even if the handler sends nothing, and notifies the handler when the reader stops. */
async function* following<T>(events: AsyncIterable<T>, linked: LinkedSignal): AsyncGenerator<T> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), linked.signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    linked.release();
    linked.abort(new Error('the reader of this watch is gone'));
  }
}
