import { setMaxListeners } from 'node:events';
import type { ApiRequest, ApiResponse, Runtime, Transport } from '@outrigger/core';
import { impersonate } from './auth/impersonation.js';
import type { Authorizer, Handle, Identity } from './handle/contract.js';
import { failureResponse } from './handle/status-response.js';

/** The server behind an in-process transport. */
export interface InProcessServer {
  readonly runtime: Runtime;
  readonly handle: Handle;
  readonly authorize: Authorizer;
  readonly isStopped: () => boolean;
}

/**
 * Passes requests to the server without encoding them. The requester is a fixed identity, or the identity that a request impersonates. Like
 * a socket, the transport rejects requests after the server has stopped. Closing the transport ends its watches.
 */
export class InProcessTransport implements Transport {
  readonly #server: InProcessServer;
  readonly #caller: Identity;
  readonly #closing = new AbortController();

  constructor(server: InProcessServer, caller: Identity) {
    this.#server = server;
    this.#caller = caller;
    // Each watch adds a listener to this signal, and Node.js warns of a leak if there are more than ten.
    setMaxListeners(0, this.#closing.signal);
  }

  async send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
    if (this.#server.isStopped()) throw new Error('the server has stopped');
    if (this.#closing.signal.aborted) throw new Error('the transport is closed');
    signal?.throwIfAborted();
    // Only a watch continues after its response, so signals are combined only for watches: combining them costs more than most requests.
    const until = !request.watch ? signal : signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    return asksForImpersonation(request) ? this.#impersonated(request, until) : this.#server.handle(request, this.#caller, until);
  }

  async #impersonated(request: ApiRequest, signal: AbortSignal | undefined): Promise<ApiResponse> {
    const { runtime, handle, authorize } = this.#server;
    let identity: Identity;
    try {
      identity = await impersonate(Object.entries(request.headers ?? {}), this.#caller, authorize);
    } catch (error) {
      return failureResponse(error, runtime, { request, user: this.#caller.user });
    }
    return handle(request, identity, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the transport is closed'));
  }
}

function asksForImpersonation({ headers }: ApiRequest): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}
