import type { ApiRequest, ApiResponse, ApiStatus, Transport, WatchEvent } from '@outrigger/core';
import { ConnectionError } from '../src/client/connection-error.js';
import { AsyncQueue } from './async-queue.js';
import { between } from './prng.js';
import type { Simulator } from './simulator.js';
import type { VirtualRuntime } from './virtual-runtime.js';

/** The faults of a simulated network. Probabilities are per request or event and can be changed during a run. */
export interface Faults {
  /** One way. */
  latencyMs: readonly [number, number];
  /** Additional delay of each watch event, so that caches lag. Events of one watch stay in order. */
  watchLagMs: readonly [number, number];
  /** The probability that a request never reaches the server. */
  dropBefore: number;
  /** The probability that the server executes a request but its response is lost. */
  dropAfter: number;
  /** The probability that the connection of a watch breaks. */
  breakWatch: number;
}

export const CALM: Readonly<Faults> = { latencyMs: [1, 1], watchLagMs: [0, 0], dropBefore: 0, dropAfter: 0, breakWatch: 0 };

export interface Connection {
  readonly client: VirtualRuntime;
  /** The scope whose cut breaks the connection: that of the server's process, or of the network to it. Undefined if it is never cut. */
  readonly server?: Pick<VirtualRuntime, 'scope'>;
  readonly faults: Faults;
}

/**
 * Returns a transport for `client` that reaches `inner` through the simulator. A crashed client receives no responses, but its requests in
 * flight may still arrive.
 */
export function connect(simulator: Simulator, inner: Transport, { client, server, faults }: Connection): Transport {
  const { random } = simulator;
  const latency = (): number => between(random, faults.latencyMs);
  const toClient = (delayMs: number, task: () => void): (() => void) => client.scope.enter(delayMs, task);

  function send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const lose = (when: string, delayMs: number): void => {
        simulator.note(`${client.name}: ${describe(request)} lost ${when}`);
        toClient(delayMs, () => reject(lost(request)));
      };
      if (random.next() < faults.dropBefore) {
        lose('before the server', latency());
        return;
      }
      simulator.schedule(latency(), () => {
        if (server?.scope.isCut) lose('at a dead server', latency());
        else void deliver(request, { resolve, reject, lose }, signal);
      });
    });
  }

  async function deliver(request: ApiRequest, caller: Caller, signal: AbortSignal | undefined): Promise<void> {
    const cancelOnCut = server?.scope.onCut(() => caller.lose('with the server', latency()));
    try {
      const response = await inner.send(request, request.watch ? undefined : signal);
      if (!request.watch) simulator.note(`${client.name}: ${describe(request)} ${response.status}`);
      if (random.next() < faults.dropAfter) {
        void endWatch(response);
        caller.lose('after the server', latency());
        return;
      }
      toClient(latency(), () =>
        caller.resolve(response.events ? { ...response, events: carried(request, response.events, signal) } : response),
      );
    } catch (error) {
      toClient(latency(), () => caller.reject(error));
    } finally {
      cancelOnCut?.();
    }
  }

  /** Yields the events of one watch in order, each after its own delay. */
  function carried(request: ApiRequest, events: AsyncIterable<WatchEvent>, signal: AbortSignal | undefined): AsyncIterable<WatchEvent> {
    const source = events[Symbol.asyncIterator]();
    const arrived = new AsyncQueue<WatchEvent>();
    let lastAt = simulator.now;
    const inOrder = (task: () => void): void => {
      lastAt = Math.max(lastAt, simulator.now + latency() + between(random, faults.watchLagMs));
      toClient(lastAt - simulator.now, task);
    };
    const leave = (): void => void source.return?.();
    const pump = async (): Promise<void> => {
      for (;;) {
        const next = await source.next();
        if (next.done) {
          inOrder(() => arrived.end());
          return;
        }
        if (random.next() < faults.breakWatch) {
          simulator.note(`${client.name}: a watch broke`);
          leave();
          inOrder(() => arrived.fail(new ConnectionError('the watch broke', { code: 'ECONNRESET', server: 'simulated', sent: true })));
          return;
        }
        if (next.value.type === 'ERROR') simulator.note(`${client.name}: ${describe(request)} ended with ${codeOf(next.value)}`);
        inOrder(() => arrived.push(next.value));
      }
    };
    arrived.onReturn = leave;
    signal?.addEventListener(
      'abort',
      () => {
        leave();
        arrived.end();
      },
      { once: true },
    );
    client.scope.onCut(leave);
    server?.scope.onCut(() => {
      leave();
      inOrder(() => arrived.fail(new ConnectionError('the server went away', { code: 'ECONNRESET', server: 'simulated', sent: true })));
    });
    void pump();
    return arrived;
  }

  return { send, close: () => inner.close() };
}

interface Caller {
  resolve(response: ApiResponse): void;
  reject(error: unknown): void;
  lose(when: string, delayMs: number): void;
}

async function endWatch(response: ApiResponse): Promise<void> {
  await response.events?.[Symbol.asyncIterator]().return?.();
}

function lost(request: ApiRequest): ConnectionError {
  return new ConnectionError(`${describe(request)}: the connection was lost`, { code: 'ECONNRESET', server: 'simulated', sent: true });
}

/** The status code of the error that ends a watch. */
function codeOf({ object }: WatchEvent): number | undefined {
  return (object as Partial<ApiStatus>).code;
}

function describe({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}
