import type { ObjectKey } from '@outrigger/core';

/** The slots of the projections in one namespace: one slot, a short list that is searched, or a map by name. */
type Slots = number | number[] | Map<string, number>;

/** A namespace with more projections than this has a map. A map takes about five times the memory of a list. */
const LONGEST_LIST = 32;

/**
 * Finds the slot of a projection by its key. The directory contains no names except those of large namespaces: a name is compared with that
 * of the projection in the slot. A fleet has a namespace per cluster with a few projections each, for which a map of `namespace/name` would
 * take more memory than the fields of the projections.
 */
export class SlotDirectory {
  readonly #namespaces = new Map<string, Slots>();
  readonly #nameAt: (slot: number) => string;

  /** `nameAt` returns the name of the projection in a slot that the directory contains. */
  constructor(nameAt: (slot: number) => string) {
    this.#nameAt = nameAt;
  }

  find({ namespace = '', name }: ObjectKey): number | undefined {
    const slots = this.#namespaces.get(namespace);
    if (slots === undefined) return undefined;
    if (typeof slots === 'number') return this.#nameAt(slots) === name ? slots : undefined;
    if (Array.isArray(slots)) return slots.find((slot) => this.#nameAt(slot) === name);
    return slots.get(name);
  }

  /** Adds a slot under a key that the directory does not contain. */
  add({ namespace = '', name }: ObjectKey, slot: number): void {
    const slots = this.#namespaces.get(namespace);
    if (slots === undefined) this.#namespaces.set(namespace, slot);
    else if (typeof slots === 'number') this.#namespaces.set(namespace, [slots, slot]);
    else if (!Array.isArray(slots)) slots.set(name, slot);
    else if (slots.length < LONGEST_LIST) slots.push(slot);
    else this.#namespaces.set(namespace, new Map([...slots, slot].map((one) => [one === slot ? name : this.#nameAt(one), one])));
  }

  /** Removes the slot of a key that the directory contains. */
  remove({ namespace = '', name }: ObjectKey, slot: number): void {
    const slots = this.#namespaces.get(namespace);
    if (slots instanceof Map) slots.delete(name);
    else if (Array.isArray(slots)) slots.splice(slots.indexOf(slot), 1);
    if (slots === undefined || typeof slots === 'number' || (Array.isArray(slots) ? slots.length : slots.size) === 0)
      this.#namespaces.delete(namespace);
  }
}
