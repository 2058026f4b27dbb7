import { type Backoff, backoffMs, errorMessage, type Kind, type KubeObject, type Runtime } from '@outrigger/core';
import { linkSignals } from './signals.js';
import { type ReflectorEvent, type ReflectorState, START, step } from './reflector.js';
import { requestedDelayMs } from './retry.js';
import type { Client, Selection } from './types.js';

export interface ReflectOptions<T extends KubeObject = KubeObject> {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly kind: Kind<T>;
  readonly selection?: Selection;
  readonly metadataOnly?: boolean;
  /** The time that the watch may wait between two reads, so that one read returns all events that arrived in this time. */
  readonly gatherMs?: number | undefined;
  /** The number of items per list request. At most twice as many objects are in memory at once. */
  readonly pageSize?: number;
  /** Called after every failure with the delay before the next attempt. Used for health checks. */
  readonly onFailure?: (error: unknown, delayMs: number) => void;
}

/**
 * The number of items per list request. A page of typical objects has about a megabyte, so it is small enough to be parsed with one
 * `JSON.parse` (`adapters/http/decode.ts`).
 */
const DEFAULT_PAGE_SIZE = 250;
/** The delay is 0.8 to 1.6 s after the first failure, and 30 to 60 s after many failures. It is random within these ranges. */
const BACKOFF: Backoff = { baseMs: 1_600, maxMs: 60_000 };

/**
 * Lists and watches a kind until `signal` is aborted. Resumes watches, and lists again if necessary. Never fails: errors are logged,
 * reported to `onFailure` and retried with increasing delays. Ends without an error when `signal` or the runtime's scope ends.
 */
export async function* reflect<T extends KubeObject>(options: ReflectOptions<T>, signal: AbortSignal): AsyncGenerator<ReflectorEvent<T>> {
  const { runtime, kind, selection = {}, metadataOnly = false, gatherMs, pageSize = DEFAULT_PAGE_SIZE } = options;
  const linked = linkSignals([signal, runtime.scope.signal]);
  const context = { client: options.client, runtime, kind, selection, metadataOnly, gatherMs, pageSize, signal: linked.signal };
  const log = runtime.log.child({ kind: kind.kind });
  let state: ReflectorState<T> = START;
  let failures = 0;
  /** The number of consecutive lists whose version expired before a watch could start from that version. */
  let expired = 0;
  try {
    while (!linked.signal.aborted) {
      const before: ReflectorState<T>['at'] = state.at;
      const moved: Awaited<ReturnType<typeof step<T>>> = await step(state, context);
      state = moved.state;
      if (linked.signal.aborted) return;
      if (moved.failure !== undefined) {
        const requestedMs = Math.min(requestedDelayMs(moved.failure), BACKOFF.maxMs);
        const delayMs = Math.max(backoffMs(++failures, BACKOFF, 1 - runtime.random.next()), requestedMs);
        log.warn({ error: errorMessage(moved.failure), delayMs }, 'watching a kind failed; trying again');
        options.onFailure?.(moved.failure, delayMs);
        await pause(runtime, delayMs, linked.signal);
        continue;
      }
      // Reset the counters only after an event, not after a successful connection, because a server that accepts watches and then breaks
      // them must not be contacted again without delay.
      if (before === 'watching' && moved.event) failures = expired = 0;
      if (moved.event) yield moved.event;
      if (before !== 'start' && state.at === 'start') {
        // Repeat the list immediately after the first expiry of its version, and with a delay after each further expiry.
        if (expired > 0) {
          const delayMs = backoffMs(expired, BACKOFF, 1 - runtime.random.next());
          log.warn({ delayMs }, 'list expired before a watch could start, will be retried');
          await pause(runtime, delayMs, linked.signal);
        }
        expired += 1;
      }
      // Lets timers run between pages even when the server answers from this process.
      if (before === 'page') await runtime.timers.yield();
    }
  } finally {
    linked.release();
    if (state.at === 'watching') await state.watch.close();
  }
}

async function pause(runtime: Runtime, delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await runtime.timers.sleep(delayMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
