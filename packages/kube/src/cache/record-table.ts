import type { ObjectKey } from '@outrigger/core';
import { SlotDirectory } from './slot-directory.js';

/**
 * Records by key. Each record has a numbered slot, so that its mark and its index positions are stored in arrays instead of one object per
 * record.
 */
export class RecordTable<P extends { readonly key: ObjectKey }> {
  readonly #records: (P | undefined)[] = [];
  readonly #slots = new SlotDirectory((slot) => this.at(slot).key.name);
  readonly #marks: number[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#records.length - this.#free.length;
  }

  get(key: ObjectKey): P | undefined {
    const slot = this.#slots.find(key);
    return slot === undefined ? undefined : this.#records[slot];
  }

  /** Returns the record in a slot that is in use. */
  at(slot: number): P {
    return this.#records[slot] as P;
  }

  *values(): IterableIterator<P> {
    for (const record of this.#records) if (record !== undefined) yield record;
  }

  /** Adds or replaces a record and returns its slot. */
  set(record: P, mark: number): number {
    const known = this.#slots.find(record.key);
    const slot = known ?? this.#free.pop() ?? this.#records.length;
    this.#records[slot] = record;
    this.#marks[slot] = mark;
    if (known === undefined) this.#slots.add(record.key, slot);
    return slot;
  }

  /** Deletes a record and returns its slot, which can be reused from now on. */
  delete(key: ObjectKey): number {
    const slot = this.#slots.find(key);
    if (slot === undefined) throw new Error(`no record ${key.namespace ?? ''}/${key.name}`);
    this.#slots.remove(key, slot);
    this.#records[slot] = undefined;
    this.#free.push(slot);
    return slot;
  }

  mark(key: ObjectKey, mark: number): void {
    const slot = this.#slots.find(key);
    if (slot !== undefined) this.#marks[slot] = mark;
  }

  /** Iterates over the records whose mark differs from `mark`. Records may be deleted during the iteration. */
  *notMarked(mark: number): IterableIterator<P> {
    for (const [slot, record] of this.#records.entries()) if (record !== undefined && this.#marks[slot] !== mark) yield record;
  }
}
