import type { Kind } from '@outrigger/core';
import type { Catalog } from './controllers/contract.js';
import type { ServedResource } from './handle/contract.js';
import type { Store } from './store/contract.js';
import { storagePrefix } from './store/key.js';

const DEFINITIONS = storagePrefix({ group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' });

/** Returns the kinds that are served and stored. The list changes only when a CustomResourceDefinition changes. */
export function createCatalog(store: Store, served: () => readonly ServedResource[]): Catalog {
  let index: ReadonlyMap<string, Kind> | undefined;
  store.subscribe(({ key }) => {
    if (key.startsWith(DEFINITIONS)) index = undefined;
  });
  const current = (): ReadonlyMap<string, Kind> => {
    index ??= indexed(served().filter(isStored));
    return index;
  };
  return {
    all: () => new Set(current().values()),
    byGroupKind: (group, kind) => current().get(`kind ${group}/${kind}`),
    byResource: (group, plural) => current().get(`resource ${group}/${plural}`),
  };
}

function isStored({ isStorageVersion, verbs }: ServedResource): boolean {
  return isStorageVersion && verbs.includes('delete');
}

function indexed(resources: readonly ServedResource[]): ReadonlyMap<string, Kind> {
  const kinds = resources.map(({ group, version, kind, plural, namespaced }): Kind => ({ group, version, kind, plural, namespaced }));
  return new Map(
    kinds.flatMap((kind) => [
      [`kind ${kind.group}/${kind.kind}`, kind],
      [`resource ${kind.group}/${kind.plural}`, kind],
    ]),
  );
}
