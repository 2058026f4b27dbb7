import { useEffect, useState } from 'preact/hooks';

/** An observable value. Values are compared with `Object.is`. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the value of a store. The component is drawn again when the value changes. */
export function useStore<T>(store: Store<T>): T {
  const drawn = store.get();
  const [, redraw] = useState(0);
  useEffect(() => follow(store, drawn, () => redraw((count) => count + 1)), [store]);
  return drawn;
}

/**
 * Calls `changed` for each change of the store after `drawn` was read, until the returned function is called. An effect runs only after the
 * component was drawn. If the value has changed in between, `changed` is called at once.
 */
export function follow<T>(store: Store<T>, drawn: T, changed: () => void): () => void {
  if (!Object.is(store.get(), drawn)) changed();
  return store.subscribe(changed);
}
