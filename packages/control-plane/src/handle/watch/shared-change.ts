import type { KubeObject, WatchEvent } from '@outrigger/core';
import type { Change } from '../../store/contract.js';
import type { ServedWatchEvent } from '../contract.js';
import type { EncodeEvent } from './line.js';

/** A change that is sent to many watchers. It is encoded once for each view. */
export class SharedChange {
  readonly change: Change;
  readonly #events = new Map<string, ServedWatchEvent>();

  constructor(change: Change) {
    this.change = change;
  }

  /**
   * Returns the event for a view. `view` names the format in which objects are encoded (version, representation, syntax); events with the
   * same type and view must have the same bytes.
   */
  event(type: WatchEvent['type'], view: string, encode: EncodeEvent, show: () => KubeObject): ServedWatchEvent {
    const key = `${type} ${view}`;
    const known = this.#events.get(key);
    if (known) return known;
    const event = servedEvent(type, show(), encode);
    this.#events.set(key, event);
    return event;
  }
}

/** Returns an event that is encoded when a socket first needs its bytes. In-process watchers never need them. */
export function servedEvent(type: WatchEvent['type'], object: KubeObject, encode: EncodeEvent): ServedWatchEvent {
  let line: Uint8Array | undefined;
  return {
    type,
    object,
    get line() {
      line ??= encode(type, object);
      return line;
    },
  };
}
