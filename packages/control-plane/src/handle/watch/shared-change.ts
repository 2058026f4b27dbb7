import type { KubeObject, WatchEvent } from '@outrigger/core';
import type { Change } from '../../store/contract.js';
import type { ServedWatchEvent } from '../contract.js';
import type { EncodeEvent } from './line.js';

/** One change that is sent to many watchers: each view of it is created once. */
export class SharedChange {
  readonly change: Change;
  readonly #events = new Map<string, ServedWatchEvent>();

  constructor(change: Change) {
    this.change = change;
  }

  /** `view` names how objects are shown and encoded (version, representation, syntax); the same name must mean the same bytes. */
  event(type: WatchEvent['type'], view: string, encode: EncodeEvent, show: () => KubeObject): ServedWatchEvent {
    const key = `${type} ${view}`;
    const known = this.#events.get(key);
    if (known) return known;
    const event = servedEvent(type, show(), encode);
    this.#events.set(key, event);
    return event;
  }
}

/** Encoded when a socket first needs the bytes; in-process watchers never do. */
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
