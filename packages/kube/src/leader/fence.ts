import type { ApiRequest, Transport } from '@outrigger/core';

/** Whether this process may write now. Checked in the same turn in which a write is passed to the transport. */
export interface Fence {
  /** Throws `NotLeadingError` unless this process certainly leads at this time. */
  check(): void;
}

/**
 * Thrown if a write was not sent because another replica may lead by now. This is not a failure of the key, because the leader will send
 * the write.
 */
export class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError';
}

export function isNotLeading(error: unknown): error is NotLeadingError {
  return error instanceof Error && error.name === 'NotLeadingError';
}

/** A fence for components that run once and need no leader. */
export const unfenced: Fence = { check: () => undefined };

/**
 * Checks leadership for each write as late as possible: before each attempt, after the request waited in the client's queue. Reads are not
 * checked. The election must use the unfenced transport.
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
