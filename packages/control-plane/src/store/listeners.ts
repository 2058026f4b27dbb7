import type { Cancel } from '@outrigger/core';
import type { Change } from './contract.js';

/** The subscribers of a store. Adding or removing a subscriber during a notification takes effect with the next notification. */
export class Listeners {
  #listeners: readonly ((change: Change) => void)[] = [];

  add(listener: (change: Change) => void): Cancel {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /**
   * Notifies all listeners. The change is already committed, so an error in one listener neither reverts it nor affects the other
   * listeners.
   */
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
