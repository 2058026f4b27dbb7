import type { Cancel } from '@outrigger/core';
import type { Change, Store } from '../../store/contract.js';
import { parseStorageKey, storagePrefix } from '../../store/key.js';
import { SharedChange } from './shared-change.js';

type Listener = (shared: SharedChange) => void;

/** The resource, namespace and version of a watch. */
export interface OpenWatch {
  /** A storage prefix: of a resource, or of one namespace of it. */
  readonly prefix: string;
  /** The version in which objects are shown. */
  readonly version: string;
}

/**
 * Passes every change to the watchers of its resource in its namespace and those of its resource in all namespaces. A change in one
 * namespace costs nothing for watchers of the others.
 */
export class WatchHub {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #open = new Map<() => void, OpenWatch>();
  readonly #stop: Cancel;

  constructor(store: Store) {
    this.#stop = store.subscribe((change) => this.#deliver(change));
  }

  add({ prefix, version }: OpenWatch, listener: Listener, onClose: () => void): Cancel {
    const listeners = this.#listeners.get(prefix) ?? new Set();
    this.#listeners.set(prefix, listeners);
    listeners.add(listener);
    this.#open.set(onClose, { prefix, version });
    return () => {
      this.#open.delete(onClose);
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(prefix) === listeners) this.#listeners.delete(prefix);
    };
  }

  /** How many watches are open. */
  get size(): number {
    return this.#open.size;
  }

  opened(): Iterable<OpenWatch> {
    return this.#open.values();
  }

  close(): void {
    this.#stop();
    this.end('');
  }

  /** Ends the watches of all keys that start with `prefix`; their clients reconnect and see what is served now. */
  end(prefix: string): void {
    for (const [close, watch] of this.#open) if (watch.prefix.startsWith(prefix)) close();
  }

  #deliver(change: Change): void {
    const { group, plural, namespace } = parseStorageKey(change.key);
    const everywhere = this.#listeners.get(storagePrefix({ group, plural }));
    const inNamespace = this.#listeners.get(storagePrefix({ group, plural }, namespace));
    if (!everywhere && !inNamespace) return;
    const shared = new SharedChange(change);
    for (const listener of everywhere ?? []) listener(shared);
    for (const listener of inNamespace ?? []) listener(shared);
  }
}
