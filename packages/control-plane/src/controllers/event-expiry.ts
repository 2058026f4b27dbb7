import { type Cancel, errorMessage, keyString, type ObjectKey } from '@outrigger/core';
import { accepting } from './accepting.js';
import type { ControllerContext, RunningController } from './contract.js';
import { follow } from './follow.js';
import { events } from './kinds.js';

/** The lifetime of Events on a Kubernetes API server, counted from the last write to the Event. */
const EVENT_TTL_MS = 3_600_000;

/** Deletes Events an hour after they were last written. Events that exist at the start are kept for a full hour. */
export function startEventExpiry(context: ControllerContext): RunningController {
  const expiry = new EventExpiry(context);
  return { stop: () => expiry.stop() };
}

class EventExpiry {
  readonly #context: ControllerContext;
  /**
   * The Events to delete, each with the time at which it expires. Every write moves an Event to the end of the map, so the map is ordered
   * by that time.
   */
  readonly #due = new Map<string, { readonly key: ObjectKey; readonly at: number }>();
  readonly #unfollow: Cancel;
  #timer: Cancel | undefined;
  #sweep: Promise<void> = Promise.resolve();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#unfollow = follow(context.store, events, (event, { metadata: { namespace = '', name = '' } }) => {
      const key = { namespace, name };
      this.#due.delete(keyString(key));
      if (event) this.#due.set(keyString(key), { key, at: context.runtime.clock.monotonic() + EVENT_TTL_MS });
      this.#arm();
    });
  }

  async stop(): Promise<void> {
    this.#unfollow();
    this.#timer?.();
    this.#due.clear();
    await this.#sweep;
  }

  #arm(): void {
    const [first] = this.#due.values();
    if (this.#timer || first === undefined) return;
    const { clock, timers } = this.#context.runtime;
    this.#timer = timers.after(Math.max(0, first.at - clock.monotonic()), () => {
      this.#sweep = this.#expire();
    });
  }

  async #expire(): Promise<void> {
    const { runtime, api } = this.#context;
    for (const [id, { key, at }] of this.#due) {
      if (at > runtime.clock.monotonic()) break;
      this.#due.delete(id);
      try {
        await accepting(api.remove(events, key), 'NotFound');
      } catch (error) {
        runtime.log.warn({ event: id, error: errorMessage(error) }, 'event could not be expired');
      }
    }
    this.#timer = undefined;
    this.#arm();
  }
}
