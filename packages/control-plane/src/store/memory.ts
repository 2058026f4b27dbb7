import type { KubeObject } from '@outrigger/core';
import type { Journal, JournalEntry, JournalState, PassingObject } from './journal.js';
import { MvccStore } from './mvcc.js';

/** A journal that keeps objects in memory by revision. Appends are synchronous. */
class MemoryJournal implements Journal {
  readonly #objects = new Map<number, KubeObject>();

  takeState(): JournalState {
    return { revision: 1, compactedRevision: 1, heads: [], history: [] };
  }

  append(entries: readonly JournalEntry[]): undefined {
    for (const { revision, object } of entries) this.#objects.set(revision, object);
  }

  read(revision: number): KubeObject {
    const object = this.#objects.get(revision);
    if (!object) throw new Error(`revision ${revision} is not kept`);
    return object;
  }

  readInPassing(revision: number): PassingObject {
    return { object: this.read(revision) };
  }

  compact(_compactedRevision: number, forgotten: readonly number[]): undefined {
    for (const revision of forgotten) this.#objects.delete(revision);
  }

  async close(): Promise<void> {}
}

/** An in-memory store, whose content is lost when the process exits. */
export class MemoryStore extends MvccStore {
  constructor() {
    super(new MemoryJournal());
  }
}
