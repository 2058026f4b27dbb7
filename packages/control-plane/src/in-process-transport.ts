import { setMaxListeners } from 'node:events';
import type { ApiRequest, ApiResponse, Transport } from '@outrigger/core';
import type { Handle, Identity } from './handle/contract.js';

/**
 * Requests handed over as they are, as one identity. Rejects when the server has stopped, as a socket would; closing it ends its
 * watches.
 */
export class InProcessTransport implements Transport {
  readonly #handle: Handle;
  readonly #identity: Identity;
  readonly #isStopped: () => boolean;
  readonly #closing = new AbortController();

  constructor(handle: Handle, identity: Identity, isStopped: () => boolean) {
    this.#handle = handle;
    this.#identity = identity;
    this.#isStopped = isStopped;
    // As many listeners as watches: Node takes more than ten for a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  async send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
    if (this.#isStopped()) throw new Error('the server has stopped');
    if (this.#closing.signal.aborted) throw new Error('the transport is closed');
    signal?.throwIfAborted();
    // Only a watch outlives its answer; combining signals costs more than most answers.
    const until = !request.watch ? signal : signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    return this.#handle(request, this.#identity, until);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the transport is closed'));
  }
}
