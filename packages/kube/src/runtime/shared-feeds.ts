import type { Cancel } from '@outrigger/core';
import type { Resource } from '../resource.js';

interface Shared {
  readonly stop: Cancel;
  readonly listeners: Set<() => void>;
  isComplete: boolean;
}

/** One feed per resource, shared by all controllers that use the resource. A feed ends when the last of these controllers cancels it. */
export class SharedFeeds {
  readonly #feeds = new Map<Resource, Shared>();
  readonly #open: (resource: Resource, onComplete: () => void) => Cancel;
  readonly #closed: (resource: Resource) => void;

  constructor(open: (resource: Resource, onComplete: () => void) => Cancel, closed: (resource: Resource) => void) {
    this.#open = open;
    this.#closed = closed;
  }

  /**
   * Keeps the feed of a resource open until cancelled. Calls `onComplete` after every complete list, and immediately if there already was a
   * complete list.
   */
  hold(resource: Resource, onComplete: () => void): Cancel {
    const shared = this.#feeds.get(resource) ?? this.#start(resource);
    const listener = (): void => onComplete();
    shared.listeners.add(listener);
    if (shared.isComplete) onComplete();
    return () => {
      if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return;
      this.#feeds.delete(resource);
      shared.stop();
      this.#closed(resource);
    };
  }

  stop(): void {
    for (const { stop } of this.#feeds.values()) stop();
    this.#feeds.clear();
  }

  #start(resource: Resource): Shared {
    const listeners = new Set<() => void>();
    const stop = this.#open(resource, () => {
      shared.isComplete = true;
      for (const listener of listeners) listener();
    });
    const shared: Shared = { stop, listeners, isComplete: false };
    this.#feeds.set(resource, shared);
    return shared;
  }
}
