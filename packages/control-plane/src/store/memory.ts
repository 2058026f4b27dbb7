import type { Cancel, KubeObject } from '@outrigger/core';
import { RevisionExpired, RevisionMismatch } from './contract.js';
import type { Change, Entry, Range, RangeOptions, Store } from './contract.js';
import { prefixEnd } from './key.js';
import { Listeners } from './listeners.js';
import { SortedKeys } from './sorted-keys.js';

const FIRST_REVISION = 1;

/** A store that lives and dies with the process: the newest state by key, and every change since the last compaction. */
export class MemoryStore implements Store {
  readonly #current = new Map<string, Entry>();
  readonly #keys = new SortedKeys();
  readonly #listeners = new Listeners();
  /** `#log[i]` is the change of revision `#compacted + 1 + i`. */
  #log: Change[] = [];
  #compacted = FIRST_REVISION;
  #revision = FIRST_REVISION;

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#compacted;
  }

  get(key: string, atRevision: number = this.#revision): Entry | undefined {
    if (atRevision >= this.#revision) return this.#current.get(key);
    this.#assertKept(atRevision);
    const next = this.#changesAfter(atRevision).find((change) => change.key === key);
    return next ? entryOf(key, next.previous) : this.#current.get(key);
  }

  range(prefix: string, options: RangeOptions = {}): Range {
    const { after, limit = Number.POSITIVE_INFINITY, atRevision = this.#revision } = options;
    if (atRevision < this.#revision) this.#assertKept(atRevision);
    const overlay = this.#overlayAt(atRevision, prefix);
    const entries: Entry[] = [];
    for (const key of this.#keysOf(prefix, after, overlay)) {
      const entry = overlay.has(key) ? overlay.get(key) : this.#current.get(key);
      if (entry === undefined) continue;
      if (entries.length === limit) return { entries, revision: atRevision, more: true };
      entries.push(entry);
    }
    return { entries, revision: atRevision, more: false };
  }

  count(prefix: string, { after, atRevision = this.#revision }: RangeOptions = {}): number {
    const first = after === undefined ? this.#keys.rank(prefix) : this.#keys.rank(after) + (this.#current.has(after) ? 1 : 0);
    let count = this.#keys.rank(prefixEnd(prefix)) - first;
    if (atRevision < this.#revision) this.#assertKept(atRevision);
    for (const [key, entry] of this.#overlayAt(atRevision, prefix)) {
      if (after === undefined || key > after) count += Number(entry !== undefined) - Number(this.#current.has(key));
    }
    return count;
  }

  async put(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change> {
    return this.#commit('put', key, expectedRevision, build);
  }

  async delete(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change> {
    return this.#commit('delete', key, expectedRevision, build);
  }

  since(revision: number, prefix = ''): Iterable<Change> {
    this.#assertKept(revision);
    return this.#changesAfter(revision).filter((change) => change.key.startsWith(prefix));
  }

  subscribe(listener: (change: Change) => void): Cancel {
    return this.#listeners.add(listener);
  }

  async compact(revision: number): Promise<void> {
    const upTo = Math.min(revision, this.#revision);
    if (upTo <= this.#compacted) return;
    this.#log = this.#log.slice(upTo - this.#compacted);
    this.#compacted = upTo;
  }

  async close(): Promise<void> {}

  #commit(type: Change['type'], key: string, expected: number, build: (revision: number) => KubeObject): Change {
    const previous = this.#current.get(key);
    const actual = previous?.revision ?? 0;
    if (actual !== expected) throw new RevisionMismatch(key, expected, actual);
    const revision = this.#revision + 1;
    const change: Change = { type, key, revision, object: build(revision), previous: previous?.object };
    this.#revision = revision;
    this.#log.push(change);
    if (type === 'delete') {
      this.#current.delete(key);
      this.#keys.delete(key);
    } else {
      this.#current.set(key, { key, revision, object: change.object });
      if (!previous) this.#keys.add(key);
    }
    this.#listeners.notify(change);
    return change;
  }

  #assertKept(revision: number): void {
    if (revision < this.#compacted) throw new RevisionExpired(revision, this.#compacted);
  }

  #changesAfter(revision: number): readonly Change[] {
    return this.#log.slice(Math.max(0, revision - this.#compacted));
  }

  /** What keys changed after `revision` held at it; undefined for keys that did not exist. */
  #overlayAt(revision: number, prefix: string): ReadonlyMap<string, Entry | undefined> {
    const overlay = new Map<string, Entry | undefined>();
    if (revision >= this.#revision) return overlay;
    for (const change of this.#changesAfter(revision)) {
      if (change.key.startsWith(prefix) && !overlay.has(change.key)) overlay.set(change.key, entryOf(change.key, change.previous));
    }
    return overlay;
  }

  /** Keys with `prefix` that exist now or existed in the overlay, in order. */
  *#keysOf(prefix: string, after: string | undefined, overlay: ReadonlyMap<string, unknown>): Generator<string, void, void> {
    const gone = [...overlay.keys()].filter((key) => !this.#current.has(key) && (after === undefined || key > after)).sort();
    let next = 0;
    for (const key of this.#keys.from(after ?? prefix)) {
      if (!key.startsWith(prefix)) break;
      if (key === after) continue;
      while (next < gone.length && (gone[next] as string) < key) yield gone[next++] as string;
      yield key;
    }
    yield* gone.slice(next);
  }
}

function entryOf(key: string, object: KubeObject | undefined): Entry | undefined {
  return object && { key, revision: Number(object.metadata.resourceVersion), object };
}
