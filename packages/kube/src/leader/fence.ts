import type { ApiRequest, Transport } from '@outrigger/core';

/** Whether this process may write right now. Asked in the same turn as a write is handed to the transport. */
export interface Fence {
  /** Throws `NotLeadingError` unless leadership is certain at this instant. */
  check(): void;
}

/** A write that was not sent, because another replica may lead by now. Not a failure of the key: the leader will do it. */
export class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError';
}

export function isNotLeading(error: unknown): error is NotLeadingError {
  return error instanceof Error && error.name === 'NotLeadingError';
}

/** A fence for components that run once and need no leader. */
export const unfenced: Fence = { check: () => undefined };

/**
 * Checks at the last point our code controls: after the client's queueing and before each of its attempts. Reads pass; so does the
 * election itself, which must use the bare transport.
 */
export function fenceTransport(transport: Transport, fence: Fence): Transport {
  return {
    send: async (request, signal) => {
      if (isWrite(request)) fence.check();
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}

function isWrite(request: ApiRequest): boolean {
  return request.method !== 'GET';
}
