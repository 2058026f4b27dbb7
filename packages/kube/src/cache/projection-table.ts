import type { ObjectKey } from '@outrigger/core';
import { SlotDirectory } from './slot-directory.js';

/**
 * Projections by key. Each projection has a numbered slot. The relist that last contained a projection (`mark`) and its index positions are
 * stored in arrays by slot, instead of one object per projection.
 */
export class ProjectionTable<P extends { readonly key: ObjectKey }> {
  readonly #projections: (P | undefined)[] = [];
  readonly #slots = new SlotDirectory((slot) => this.at(slot).key.name);
  readonly #marks: number[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#projections.length - this.#free.length;
  }

  get(key: ObjectKey): P | undefined {
    const slot = this.#slots.find(key);
    return slot === undefined ? undefined : this.#projections[slot];
  }

  /** Returns the projection in a slot that is in use. */
  at(slot: number): P {
    return this.#projections[slot] as P;
  }

  *values(): IterableIterator<P> {
    for (const projection of this.#projections) if (projection !== undefined) yield projection;
  }

  /** Adds or replaces a projection and returns its slot. */
  set(projection: P, mark: number): number {
    const known = this.#slots.find(projection.key);
    const slot = known ?? this.#free.pop() ?? this.#projections.length;
    this.#projections[slot] = projection;
    this.#marks[slot] = mark;
    if (known === undefined) this.#slots.add(projection.key, slot);
    return slot;
  }

  /** Deletes a projection and returns its slot, which can be reused from now on. */
  delete(key: ObjectKey): number {
    const slot = this.#slots.find(key);
    if (slot === undefined) throw new Error(`no projection ${key.namespace ?? ''}/${key.name}`);
    this.#slots.remove(key, slot);
    this.#projections[slot] = undefined;
    this.#free.push(slot);
    return slot;
  }

  mark(key: ObjectKey, mark: number): void {
    const slot = this.#slots.find(key);
    if (slot !== undefined) this.#marks[slot] = mark;
  }

  /** Iterates over the projections that were last set or marked with another `mark`. Projections may be deleted during the iteration. */
  *notMarked(mark: number): IterableIterator<P> {
    for (const [slot, projection] of this.#projections.entries())
      if (projection !== undefined && this.#marks[slot] !== mark) yield projection;
  }
}
