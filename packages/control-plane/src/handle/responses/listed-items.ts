import type { KubeObject } from '@outrigger/core';

const TEXTS = new WeakMap<readonly unknown[], readonly (string | undefined)[]>();

/** Returns the JSON of the items of a list, by index; undefined for an item whose JSON is not known, or if no JSON is known. */
export function textsOf(items: readonly unknown[]): readonly (string | undefined)[] | undefined {
  return TEXTS.get(items);
}

/**
 * The items of a list. If the store read an object as JSON and the list shows it unchanged, the response contains that JSON, so
 * that a long list need not encode its objects again.
 */
export class ListedItems {
  readonly items: KubeObject[] = [];
  readonly #texts: (string | undefined)[] = [];

  constructor() {
    TEXTS.set(this.items, this.#texts);
  }

  /** Adds an item. `text` is its JSON, if that is known. */
  add(object: KubeObject, text: string | undefined): void {
    this.items.push(object);
    this.#texts.push(text);
  }
}
