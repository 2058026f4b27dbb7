import type { KubeObject, ListMeta } from '@outrigger/core';

/** An object of a list. */
export interface ListedItem {
  readonly object: KubeObject;
  /**
   * The JSON of the object, if the store read it from disk and the list shows the object as it is stored. `object` is then parsed on
   * demand.
   */
  readonly text?: string | undefined;
}

export interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

const LISTED = new WeakMap<object, readonly ListedItem[]>();

/** Returns the items of a list that `listOf` returned. */
export function itemsOf(body: object): readonly ListedItem[] | undefined {
  return LISTED.get(body);
}

/**
 * Returns a list as the body of a response. The objects are parsed only if a caller in this process reads them. A response over a socket
 * contains the JSON of the store, so that the server need not parse and encode the objects of a long list.
 */
export function listOf(head: ListHead, items: readonly ListedItem[]): object {
  let objects: readonly KubeObject[] | undefined;
  const body = {
    ...head,
    get items() {
      objects ??= items.map(({ object }) => object);
      return objects;
    },
  };
  LISTED.set(body, items);
  return body;
}

/** Returns an item without apiVersion and kind, which are the first members in the JSON of the store. */
export function withoutType(item: ListedItem): ListedItem {
  const type = item.text === undefined ? null : TYPE.exec(item.text);
  return {
    text: type ? `{${(item.text as string).slice(type[0].length)}` : undefined,
    get object() {
      const { kind: _, apiVersion: __, ...rest } = item.object;
      return rest as KubeObject;
    },
  };
}

const TYPE = /^\{"kind":"[^"\\]*","apiVersion":"[^"\\]*",(?=")/;
