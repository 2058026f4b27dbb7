import type { Cancel, KubeObject } from '@outrigger/core';
import {
  RevisionExpired,
  RevisionMismatch,
  StoreUnavailable,
  type Change,
  type Entry,
  type Range,
  type RangeOptions,
  type Store,
} from './contract.js';
import { ChangeLog } from './change-log.js';
import type { Journal, JournalEntry, JournalRecord } from './journal.js';
import { prefixEnd } from './key.js';
import { Listeners } from './listeners.js';
import { SortedKeys } from './sorted-keys.js';

interface PendingWrite {
  readonly entry: JournalEntry;
  readonly resolve: (change: Change) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A store on top of a journal. It keeps the revision of every key and the changes since the last compaction in memory; the objects are in
 * the journal. Writes that arrive while the journal is busy are appended together afterwards.
 */
export class MvccStore implements Store {
  readonly #journal: Journal;
  readonly #heads = new Map<string, number>();
  readonly #keys = new SortedKeys();
  readonly #listeners = new Listeners();
  readonly #log: ChangeLog;
  #revision: number;
  /** The last revision assigned to a write, durable or not. */
  #assigned: number;
  /** Writes that are accepted but not durable yet, in revision order. */
  #pending: PendingWrite[] = [];
  readonly #pendingByKey = new Map<string, Promise<unknown>>();
  #isWriting = false;
  #closing: Promise<void> | undefined;
  #idle: Promise<void> = Promise.resolve();
  #compacting: Promise<void> = Promise.resolve();

  constructor(journal: Journal) {
    const { revision, compactedRevision, heads, history } = journal.takeState();
    this.#journal = journal;
    this.#revision = revision;
    this.#assigned = revision;
    for (const [key, head] of heads) {
      this.#heads.set(key, head);
      this.#keys.add(key);
    }
    this.#log = new ChangeLog(compactedRevision);
    for (const record of history) this.#log.push({ ...record, key: this.#keys.own(record.key) });
  }

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#log.compacted;
  }

  get(key: string, atRevision: number = this.#revision): Entry | undefined {
    this.#assertKept(atRevision);
    const head = this.#heads.get(key) ?? 0;
    return this.#entry(key, atRevision >= this.#revision ? head : (this.#log.revisionAt(key, atRevision) ?? head));
  }

  range(prefix: string, options: RangeOptions = {}): Range {
    const { after, limit = Number.POSITIVE_INFINITY, atRevision = this.#revision, inPassing = false } = options;
    this.#assertKept(atRevision);
    const overlay = this.#log.revisionsAt(atRevision, prefix);
    const entries: Entry[] = [];
    for (const key of this.#keysOf(prefix, after, overlay)) {
      const entry = this.#entry(key, overlay.get(key) ?? this.#heads.get(key) ?? 0, inPassing);
      if (!entry) continue;
      if (entries.length >= limit) return { entries, revision: atRevision, more: true };
      entries.push(entry);
    }
    return { entries, revision: atRevision, more: false };
  }

  count(prefix: string, { after, atRevision = this.#revision }: RangeOptions = {}): number {
    this.#assertKept(atRevision);
    const first = after === undefined ? this.#keys.rank(prefix) : this.#keys.rank(after) + Number(this.#heads.has(after));
    let count = this.#keys.rank(prefixEnd(prefix)) - first;
    for (const [key, revision] of this.#log.revisionsAt(atRevision, prefix)) {
      if (after === undefined || key > after) count += Number(revision > 0) - Number(this.#heads.has(key));
    }
    return count;
  }

  put(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change> {
    return this.#write('put', key, expectedRevision, build);
  }

  delete(key: string, expectedRevision: number, build: (revision: number) => KubeObject): Promise<Change> {
    return this.#write('delete', key, expectedRevision, build);
  }

  since(revision: number, prefix = ''): Iterable<Change> {
    this.#assertKept(revision);
    return this.#replay(this.#log.after(revision, prefix));
  }

  subscribe(listener: (change: Change) => void): Cancel {
    return this.#listeners.add(listener);
  }

  async compact(revision: number): Promise<void> {
    const upTo = Math.min(revision, this.#revision);
    if (upTo <= this.#log.compacted || this.#closing) return;
    const unneeded = this.#log.compact(upTo);
    this.#compacting = this.#compacting.catch(() => undefined).then(() => this.#journal.compact(upTo, unneeded));
    await this.#compacting;
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    await this.#idle;
    // Only wait until the compaction ends. If it fails, the caller of `compact` gets the error.
    await this.#compacting.catch(() => undefined);
    await this.#journal.close();
  }

  async #write(type: Change['type'], key: string, expected: number, build: (revision: number) => KubeObject): Promise<Change> {
    if (this.#closing) throw new StoreUnavailable('the store is closed');
    const earlier = this.#pendingByKey.get(key);
    // Whatever the outcome of the earlier write, the caller's state is outdated. Wait for that write, so that the caller's next read sees
    // the newest state.
    if (earlier) await earlier.catch(() => undefined);
    const actual = this.#heads.get(key) ?? 0;
    if (earlier || actual !== expected) throw new RevisionMismatch(key, expected, actual);
    const revision = this.#assigned + 1;
    const entry: JournalEntry = { revision, type, key, previous: actual, object: build(revision) };
    this.#assigned = revision;
    const done = new Promise<Change>((resolve, reject) => {
      this.#pending.push({ entry, resolve, reject });
    });
    this.#pendingByKey.set(key, done);
    if (!this.#isWriting) this.#idle = this.#drain();
    return done;
  }

  /** Writes pending entries, batch after batch, until none are left. */
  async #drain(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      const batch = [...this.#pending];
      try {
        const durable = this.#journal.append(batch.map(({ entry }) => entry));
        if (durable) await durable;
      } catch (error) {
        this.#fail(error);
        continue;
      }
      this.#pending = this.#pending.slice(batch.length);
      for (const write of batch) this.#commit(write);
    }
    this.#isWriting = false;
  }

  #commit({ entry, resolve }: PendingWrite): void {
    const { type, revision, previous } = entry;
    // The history and the subscribers share one string per key, to save memory.
    const key = type === 'delete' ? this.#keys.delete(entry.key) : this.#keys.add(entry.key);
    this.#revision = revision;
    this.#log.push({ type, key, previous });
    if (type === 'delete') this.#heads.delete(key);
    else this.#heads.set(key, revision);
    this.#pendingByKey.delete(key);
    const change = this.#change({ type, key, revision, previous });
    this.#listeners.notify(change);
    resolve(change);
  }

  /** Fails all pending writes, because their revisions follow those of the writes that failed. */
  #fail(error: unknown): void {
    const lost = this.#pending;
    this.#pending = [];
    this.#assigned = this.#revision;
    this.#pendingByKey.clear();
    for (const { reject } of lost) reject(error);
  }

  #entry(key: string, revision: number, inPassing = false): Entry | undefined {
    if (revision === 0) return undefined;
    if (!inPassing) return { key, revision, object: this.#journal.read(revision) };
    const passing = this.#journal.readInPassing(revision);
    if (passing.text === undefined) return { key, revision, object: passing.object };
    return {
      key,
      revision,
      text: passing.text,
      get object() {
        return passing.object;
      },
    };
  }

  *#replay(records: readonly JournalRecord[]): Generator<Change, void, void> {
    for (const record of records) {
      this.#assertKept(record.revision - 1);
      yield this.#change(record, true);
    }
  }

  #change({ type, key, revision, previous }: JournalRecord, inPassing = false): Change {
    const journal = this.#journal;
    const read = (of: number): KubeObject => (inPassing ? journal.readInPassing(of).object : journal.read(of));
    let before: KubeObject | undefined;
    return {
      type,
      key,
      revision,
      object: read(revision),
      isCreation: previous === 0,
      // The previous state is read on demand, because few readers need it and it may be on disk.
      get previous() {
        if (previous !== 0) before ??= read(previous);
        return before;
      },
    };
  }

  #assertKept(revision: number): void {
    if (revision < this.#log.compacted) throw new RevisionExpired(revision, this.#log.compacted);
  }

  /** Yields, in order, the keys with `prefix` that exist now, and the keys in `overlay` that no longer exist. */
  *#keysOf(prefix: string, after: string | undefined, overlay: ReadonlyMap<string, number>): Generator<string, void, void> {
    const gone = [...overlay.keys()].filter((key) => !this.#heads.has(key) && (after === undefined || key > after)).sort();
    let next = 0;
    for (const key of this.#keys.from(after ?? prefix)) {
      if (key === after) continue;
      if (!key.startsWith(prefix)) break;
      while (next < gone.length && (gone[next] as string) < key) yield gone[next++] as string;
      yield key;
    }
    yield* gone.slice(next);
  }
}
