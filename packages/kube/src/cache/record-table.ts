/**
 * Records by key. Each record has a numbered slot, so that its mark and its index positions are stored in arrays instead of one object per
 * record.
 */
export class RecordTable<P> {
  readonly #slots = new Map<string, number>();
  readonly #records: (P | undefined)[] = [];
  readonly #marks: number[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.size;
  }

  get(id: string): P | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#records[slot];
  }

  *values(): IterableIterator<P> {
    for (const slot of this.#slots.values()) yield this.#records[slot] as P;
  }

  /** Adds or replaces a record and returns its slot. */
  set(id: string, record: P, mark: number): number {
    const slot = this.#slots.get(id) ?? this.#claim(id);
    this.#records[slot] = record;
    this.#marks[slot] = mark;
    return slot;
  }

  /** Deletes a record and returns its slot, which can be reused from now on. */
  delete(id: string): number {
    const slot = this.#slots.get(id);
    if (slot === undefined) throw new Error(`no record ${id}`);
    this.#slots.delete(id);
    this.#records[slot] = undefined;
    this.#free.push(slot);
    return slot;
  }

  mark(id: string, mark: number): void {
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.#marks[slot] = mark;
  }

  /** Iterates over the records without this mark. Records may be deleted during the iteration. */
  *notMarked(mark: number): IterableIterator<[string, P]> {
    for (const [id, slot] of this.#slots) if (this.#marks[slot] !== mark) yield [id, this.#records[slot] as P];
  }

  #claim(id: string): number {
    const slot = this.#free.pop() ?? this.#records.length;
    this.#slots.set(id, slot);
    return slot;
  }
}
