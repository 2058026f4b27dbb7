import { notFound } from '../handle/errors.js';
import type { Store } from '../store/contract.js';
import { storageKey } from '../store/key.js';
import type { NamespaceLabels } from './match.js';

const NAMESPACES = { group: '', plural: 'namespaces' };

/** Returns a function that looks up the labels of stored namespaces. The function throws NotFound if the namespace does not exist. */
export function storedNamespaceLabels(store: Store): NamespaceLabels {
  return (name) => {
    const entry = store.get(storageKey({ ...NAMESPACES, namespace: '', name }));
    if (!entry) throw notFound(NAMESPACES, name);
    return entry.object.metadata.labels ?? {};
  };
}
