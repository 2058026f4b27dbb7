import { type Cancel, fieldsOf, type Kind, type KubeObject, parseFieldSelector, parseLabelSelector } from '@outrigger/core';
import type { ResourceStore } from '../cache/store.js';
import type { AcceptedWrite } from '../executor/perform.js';
import type { Resource } from '../resource.js';

/**
 * Rule 7 of the controller contract. Resolves when every store that shows the written objects contains the writes, or when the signal
 * aborts. There is no deadline, because decisions must not be based on a stale cache.
 */
export async function untilVisible(writes: readonly AcceptedWrite[], stores: readonly ResourceStore[], signal: AbortSignal): Promise<void> {
  const pairs = writes.flatMap((write) => stores.filter((store) => shows(store, write)).map((store) => ({ store, write })));
  const missing = pairs.filter(({ store, write }) => !store.hasReached(write));
  if (missing.length === 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    let left = missing.length;
    const cancels: Cancel[] = [];
    const finish = (): void => {
      signal.removeEventListener('abort', finish);
      for (const cancel of cancels) cancel();
      resolve();
    };
    signal.addEventListener('abort', finish, { once: true });
    for (const { store, write } of missing) {
      cancels.push(
        store.whenReached(write, () => {
          left--;
          if (left === 0) finish();
        }),
      );
    }
  });
}

/**
 * Whether a watch on the resource reports the write. If the object no longer matches the selection, the watch reports it as removed, but
 * only if the object was in the store.
 */
function shows(store: ResourceStore, { api, kind, key, object }: AcceptedWrite): boolean {
  const { resource } = store;
  if (resource.api !== api || !isSameKind(resource.kind, kind)) return false;
  if (resource.namespace !== undefined && resource.namespace !== key.namespace) return false;
  return object === undefined || isSelected(resource, object) || store.get(key) !== undefined;
}

function isSelected({ labelSelector, fieldSelector }: Resource, object: KubeObject): boolean {
  if (labelSelector !== undefined && !parseLabelSelector(labelSelector).matches(object.metadata.labels)) return false;
  return fieldSelector === undefined || parseFieldSelector(fieldSelector).matches(fieldsOf(object));
}

function isSameKind(a: Kind, b: Kind): boolean {
  return a.group === b.group && a.plural === b.plural;
}
