import type { JournalRecord } from './journal.js';

/**
 * The changes since the last compaction, in revision order and without gaps. The log keeps only one key and one number for each change,
 * because a busy server keeps more than 100,000 changes.
 */
export class ChangeLog {
  /** The newest revision that is compacted. The change at index `i` has the revision `#compacted + 1 + i`. */
  #compacted: number;
  #keys: string[] = [];
  /** The previous revision of each changed key, or `-1 - previous` if the change deleted the key. */
  #previous: number[] = [];

  constructor(compactedRevision: number) {
    this.#compacted = compactedRevision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Adds the change that follows the newest one. */
  push({ key, type, previous }: Omit<JournalRecord, 'revision'>): void {
    this.#keys.push(key);
    this.#previous.push(type === 'delete' ? -1 - previous : previous);
  }

  /** Returns the changes after `revision` of the keys with a prefix, in order. */
  after(revision: number, prefix: string): JournalRecord[] {
    const records: JournalRecord[] = [];
    for (let i = revision - this.#compacted; i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (key.startsWith(prefix)) records.push({ key, revision: this.#compacted + 1 + i, ...this.#changeAt(i) });
    }
    return records;
  }

  /**
   * Returns the revision that a key had at `revision`, or 0 if the key did not exist then. Returns undefined if the key has not changed
   * since `revision`.
   */
  revisionAt(key: string, revision: number): number | undefined {
    const i = this.#keys.indexOf(key, revision - this.#compacted);
    return i < 0 ? undefined : this.#changeAt(i).previous;
  }

  /**
   * Returns the revision that each key with a prefix had at `revision`, or 0 if the key did not exist then. Contains only keys that have
   * changed since `revision`.
   */
  revisionsAt(revision: number, prefix: string): ReadonlyMap<string, number> {
    const revisions = new Map<string, number>();
    for (let i = revision - this.#compacted; i < this.#keys.length; i++) {
      const key = this.#keys[i] as string;
      if (key.startsWith(prefix) && !revisions.has(key)) revisions.set(key, this.#changeAt(i).previous);
    }
    return revisions;
  }

  /**
   * Drops the changes up to `revision`. Returns the revisions whose states are no longer needed: a state is needed until the change that
   * replaced it is compacted, and the state of a deletion until the deletion itself is compacted.
   */
  compact(revision: number): readonly number[] {
    const count = revision - this.#compacted;
    const unneeded: number[] = [];
    for (let i = 0; i < count; i++) {
      const { type, previous } = this.#changeAt(i);
      if (previous > 0) unneeded.push(previous);
      if (type === 'delete') unneeded.push(this.#compacted + 1 + i);
    }
    this.#keys = this.#keys.slice(count);
    this.#previous = this.#previous.slice(count);
    this.#compacted = revision;
    return unneeded;
  }

  #changeAt(i: number): Pick<JournalRecord, 'type' | 'previous'> {
    const previous = this.#previous[i] as number;
    return previous < 0 ? { type: 'delete', previous: -1 - previous } : { type: 'put', previous };
  }
}
