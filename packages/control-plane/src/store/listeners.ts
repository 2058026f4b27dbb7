import type { Cancel } from '@outrigger/core';
import type { Change } from './contract.js';

/**
 * The subscribers of a store. A subscriber added or removed during a notification is included or excluded from the next notification on.
 */
export class Listeners {
  #listeners: readonly ((change: Change) => void)[] = [];

  add(listener: (change: Change) => void): Cancel {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** A change is committed when it is reported, so an error in a listener neither reverts it nor affects other listeners. */
  notify(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
