import type { KubeObject, WatchEvent } from '@outrigger/core';
import type { Change } from '../../store/contract.js';
import type { ServedWatchEvent } from '../contract.js';
import type { EncodeEvent } from './line.js';

/** One change on its way to many watchers: what they see of it is made once per way of showing it. */
export class Happening {
  readonly change: Change;
  readonly #events = new Map<string, ServedWatchEvent>();

  constructor(change: Change) {
    this.change = change;
  }

  /** `view` names how objects are shown and sent (version, representation, syntax); equal names must mean equal bytes. */
  event(type: WatchEvent['type'], view: string, encode: EncodeEvent, show: () => KubeObject): ServedWatchEvent {
    const key = `${type} ${view}`;
    const known = this.#events.get(key);
    if (known) return known;
    const event = servedEvent(type, show(), encode);
    this.#events.set(key, event);
    return event;
  }
}

/** Encodes when a socket first asks for the bytes; in-process watchers never do. */
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
