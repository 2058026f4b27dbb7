import type { Kind } from '@outrigger/core';
import type { Catalog } from './controllers/contract.js';
import type { ServedResource } from './handle/contract.js';

/** The stored kinds among what is served, found by kind and by resource. Rebuilt only when something else is served. */
export function createCatalog(served: () => readonly ServedResource[]): Catalog {
  let source: readonly ServedResource[] | undefined;
  let kinds: readonly Kind[] = [];
  let index = new Map<string, Kind>();
  const refresh = (): void => {
    const now = served();
    if (source && sameResources(source, now)) return;
    source = now;
    kinds = now.filter(isStored).map(({ group, version, kind, plural, namespaced }) => ({ group, version, kind, plural, namespaced }));
    index = new Map(
      kinds.flatMap((kind) => [
        [`kind ${kind.group}/${kind.kind}`, kind],
        [`resource ${kind.group}/${kind.plural}`, kind],
      ]),
    );
  };
  const find = (key: string): Kind | undefined => {
    refresh();
    return index.get(key);
  };
  return {
    all: () => {
      refresh();
      return kinds;
    },
    byGroupKind: (group, kind) => find(`kind ${group}/${kind}`),
    byResource: (group, plural) => find(`resource ${group}/${plural}`),
  };
}

function isStored({ isStorageVersion, verbs }: ServedResource): boolean {
  return isStorageVersion && verbs.includes('delete');
}

function sameResources(a: readonly ServedResource[], b: readonly ServedResource[]): boolean {
  return a === b || (a.length === b.length && a.every((resource, i) => resource === b[i]));
}
