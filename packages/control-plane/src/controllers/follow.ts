import type { Cancel, Kind, KubeObject } from '@outrigger/core';
import { everyEntry } from '../every-entry.js';
import type { Store } from '../store/contract.js';
import { storageKey, storagePrefix } from '../store/key.js';

/**
 * Calls `seen` for every existing object of a kind, and for every later change. `object` is undefined when the object has been deleted.
 * `seen` runs synchronously inside the write, so it must only queue work.
 */
export function follow(store: Store, kind: Kind, seen: (object: KubeObject | undefined, last: KubeObject) => void): Cancel {
  const prefix = storagePrefix(kind);
  for (const { object } of everyEntry(store, prefix)) seen(object, object);
  return store.subscribe(({ type, key, object }) => {
    if (key.startsWith(prefix)) seen(type === 'put' ? object : undefined, object);
  });
}

/** Returns the newest state of one object. */
export function lookUp<T extends KubeObject>(store: Store, kind: Kind, name: string, namespace = ''): T | undefined {
  return store.get(storageKey({ group: kind.group, plural: kind.plural, namespace, name }))?.object as T | undefined;
}
