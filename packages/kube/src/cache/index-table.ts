import type { Projected } from '@outrigger/core';
import type { Index } from '../resource.js';

/**
 * Several projections with one index value. `projections` is returned to readers; `slots` contains the store slots of these projections in
 * the same order.
 */
interface Bucket<P> {
  readonly projections: P[];
  readonly slots: number[];
}

const NO_RECORDS: readonly never[] = [];

/**
 * One index. The cost of an update does not depend on the size of a bucket. To find the position of a projection, the index computes the
 * index values of the projection again, which takes less memory than storing them. An index function must therefore depend on the
 * projection alone.
 */
class IndexColumn<P extends Projected> {
  readonly #name: string;
  readonly #of: Index<P>;
  readonly #projectionAt: (slot: number) => P;
  /**
   * For each index value: its projections, or the slot of the projection if there is only one. Many indexes have one projection per value,
   * and a bucket takes 400 bytes.
   */
  readonly #buckets = new Map<string, number | Bucket<P>>();
  /**
   * For each slot, the position of the projection in its bucket, or a list of positions if it has several index values. Empty until a
   * projection has an index value.
   */
  readonly #positions: (number | readonly number[] | undefined)[] = [];

  constructor(name: string, of: Index<P>, projectionAt: (slot: number) => P) {
    this.#name = name;
    this.#of = of;
    this.#projectionAt = projectionAt;
  }

  find(value: string): readonly P[] {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) return NO_RECORDS;
    return typeof bucket === 'number' ? [this.#projectionAt(bucket)] : bucket.projections;
  }

  valuesOf(projection: P): readonly string[] {
    const values = this.#of(projection);
    return values.length > 1 ? [...new Set(values)] : values;
  }

  put(slot: number, before: P | undefined, after: P, values: readonly string[]): void {
    if (before !== undefined) {
      const old = this.valuesOf(before);
      if (isSame(old, values)) {
        for (let i = 0; i < values.length; i++) {
          const bucket = this.#bucket(values[i] as string);
          if (typeof bucket !== 'number') bucket.projections[this.#position(slot, i)] = after;
        }
        return;
      }
      this.#leaveAll(slot, old);
    }
    const entered = values.map((value) => this.#enter(slot, after, value));
    this.#setPosition(slot, entered.length > 1 ? entered : entered[0]);
  }

  remove(slot: number, projection: P): void {
    this.#leaveAll(slot, this.valuesOf(projection));
    this.#setPosition(slot, undefined);
  }

  #setPosition(slot: number, position: number | readonly number[] | undefined): void {
    if (position === undefined && slot >= this.#positions.length) return;
    // Fill the gap with undefined, because V8 turns an array with holes into a slower and larger dictionary.
    while (this.#positions.length < slot) this.#positions.push(undefined);
    this.#positions[slot] = position;
  }

  #bucket(value: string): number | Bucket<P> {
    const bucket = this.#buckets.get(value);
    if (bucket !== undefined) return bucket;
    throw new Error(`index "${this.#name}" gave another value for a projection than before: it must depend on nothing else`);
  }

  #position(slot: number, ordinal: number): number {
    const positions = this.#positions[slot];
    return typeof positions === 'number' ? positions : (positions?.[ordinal] as number);
  }

  #enter(slot: number, projection: P, value: string): number {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      this.#buckets.set(value, slot);
      return 0;
    }
    if (typeof bucket === 'number') {
      this.#buckets.set(value, { projections: [this.#projectionAt(bucket), projection], slots: [bucket, slot] });
      return 1;
    }
    bucket.projections.push(projection);
    return bucket.slots.push(slot) - 1;
  }

  #leaveAll(slot: number, values: readonly string[]): void {
    const positions = values.map((_, i) => this.#position(slot, i));
    for (let i = 0; i < values.length; i++) this.#leave(values[i] as string, positions[i] as number);
  }

  /** Removes a projection from a bucket. The last projection of the bucket moves to the free position. */
  #leave(value: string, position: number): void {
    const bucket = this.#bucket(value);
    if (typeof bucket === 'number') {
      this.#buckets.delete(value);
      return;
    }
    const { projections, slots } = bucket;
    const projection = projections.pop() as P;
    const slot = slots.pop() as number;
    if (position < slots.length) {
      projections[position] = projection;
      slots[position] = slot;
      this.#move(slot, projection, value, position);
    }
    if (slots.length === 1) this.#buckets.set(value, slots[0] as number);
  }

  #move(slot: number, projection: P, value: string, position: number): void {
    const positions = this.#positions[slot];
    if (typeof positions === 'number') this.#positions[slot] = position;
    else this.#positions[slot] = positions?.with(this.valuesOf(projection).indexOf(value), position);
  }
}

/** Every index of one store. */
export class IndexTable<P extends Projected> {
  readonly #columns: ReadonlyMap<string, IndexColumn<P>>;

  /** `projectionAt` returns the current projection in a slot that has been passed to `put`. */
  constructor(indexes: Readonly<Record<string, Index<P>>>, projectionAt: (slot: number) => P) {
    this.#columns = new Map(Object.entries(indexes).map(([name, of]) => [name, new IndexColumn(name, of, projectionAt)]));
  }

  /** Returns the projections, in no particular order. Callers must read the array within the same turn and must not keep it. */
  find(index: string, value: string): readonly P[] | undefined {
    return this.#columns.get(index)?.find(value);
  }

  names(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /** Computes the index values. Separate from `put`, so that an index function that throws leaves the table unchanged. */
  valuesOf(projection: P): readonly (readonly string[])[] {
    return Array.from(this.#columns.values(), (column) => column.valuesOf(projection));
  }

  put(slot: number, before: P | undefined, after: P, values: readonly (readonly string[])[]): void {
    let i = 0;
    for (const column of this.#columns.values()) column.put(slot, before, after, values[i++] as readonly string[]);
  }

  remove(slot: number, projection: P): void {
    for (const column of this.#columns.values()) column.remove(slot, projection);
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
