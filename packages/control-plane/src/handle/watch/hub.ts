import type { Cancel } from '@outrigger/core';
import type { Change, Store } from '../../store/contract.js';
import { parseStorageKey, storagePrefix } from '../../store/key.js';
import { SharedChange } from './shared-change.js';

type Listener = (shared: SharedChange) => void;

/** The resource, namespace and version of a watch. */
export interface OpenWatch {
  /** A storage prefix: that of a resource, or of one namespace of a resource. */
  readonly prefix: string;
  /** The API version in which the watcher receives objects. */
  readonly version: string;
}

/**
 * Passes every change to the watchers of its resource, in its namespace or in all namespaces. A change in one namespace causes no work for
 * watchers of other namespaces.
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

  /** The number of open watches. */
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

  /** Ends the watches whose prefix starts with `prefix`. Their clients reconnect and see the resources that are now served. */
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
