import { deepFreeze, errorMessage, type KubeObject } from '@outrigger/core';
import { open, type Database, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { StoreUnavailable } from '../contract.js';
import type { Journal, JournalEntry, JournalRecord, JournalState, PassingObject } from '../journal.js';
import { ObjectCache, type CacheLimits } from '../object-cache.js';

const FORMAT = 1;
const FIRST_REVISION = 1;
/**
 * The limits of the cache of parsed objects. The cache is meant for the objects that a manager reads often, not for all objects of a fleet.
 */
const CACHE_LIMITS: CacheLimits = { maxObjects: 5000, maxBytes: 16 * 1024 * 1024 };
/** The number of entries removed per transaction. It is small, so that writes do not wait long for a compaction. */
const COMPACTION_BATCH = 1000;

/**
 * A journal that LMDB stores in a folder. The database `ev` contains every kept change by revision, with its compressed object; `kv`
 * contains the newest revision of every key; `meta` contains the start of the history. An append is one transaction and resolves when it is
 * on disk.
 */
export class LmdbJournal implements Journal {
  /** The state that was read when the journal was opened; undefined after `takeState`. */
  #state: JournalState | undefined;
  readonly #dir: string;
  readonly #root: RootDatabase;
  readonly #events: Database<string, number>;
  readonly #heads: Database<number, string>;
  readonly #meta: Database<number, string>;
  readonly #cache = new ObjectCache(CACHE_LIMITS);
  #unneeded: readonly number[] = [];

  readonly #onClosed: () => Promise<void>;
  #isClosed = false;

  private constructor(dir: string, root: RootDatabase, onClosed: () => Promise<void>) {
    this.#dir = dir;
    this.#onClosed = onClosed;
    this.#root = root;
    this.#events = root.openDB<string, number>({ name: 'ev', encoding: 'string', compression: true });
    this.#heads = root.openDB<number, string>({ name: 'kv', encoding: 'ordered-binary' });
    this.#meta = root.openDB<number, string>({ name: 'meta', encoding: 'ordered-binary' });
    this.#state = this.#load();
  }

  /** Opens the journal. Throws `StoreUnavailable` if the folder contains other or damaged data. */
  static open(dir: string, { onClosed }: { readonly onClosed: () => Promise<void> }): LmdbJournal {
    let root: RootDatabase | undefined;
    try {
      // Disable LMDB's event turn batching, because it leaves an unhandled rejection when the disk is full.
      root = open({ path: dir, maxDbs: 4, eventTurnBatching: false } as RootDatabaseOptionsWithPath);
      return new LmdbJournal(dir, root, onClosed);
    } catch (cause) {
      void root?.close();
      if (cause instanceof StoreUnavailable) throw cause;
      throw new StoreUnavailable(
        `cannot open the store in ${dir}: ${errorMessage(cause)}. Restore the folder from a backup, or move it away to start empty.`,
        { cause },
      );
    }
  }

  takeState(): JournalState {
    const state = this.#state;
    if (!state) throw new Error('the state of the journal was taken already');
    this.#state = undefined;
    return state;
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    const texts = entries.map(encode);
    await this.#transaction(() =>
      entries.flatMap((entry, i) => [
        this.#events.put(entry.revision, texts[i] as string),
        entry.type === 'delete' ? this.#heads.remove(entry.key) : this.#heads.put(entry.key, entry.revision),
      ]),
    );
    await this.#root.flushed;
    this.#root.resetReadTxn();
    for (const [i, { revision, object }] of entries.entries()) this.#cache.add(revision, object, (texts[i] as string).length);
  }

  read(revision: number): KubeObject {
    const known = this.#cache.get(revision);
    if (known) return known;
    const text = this.#text(revision);
    const object = deepFreeze(JSON.parse(text) as KubeObject);
    this.#cache.add(revision, object, text.length);
    return object;
  }

  readInPassing(revision: number): PassingObject {
    const known = this.#cache.get(revision);
    if (known) return { object: known };
    const text = this.#text(revision);
    let object: KubeObject | undefined;
    return {
      text,
      get object() {
        object ??= JSON.parse(text) as KubeObject;
        return object;
      },
    };
  }

  /** Returns the stored JSON of an object. */
  #text(revision: number): string {
    // Reading from a closed database crashes the process.
    if (this.#isClosed) throw new StoreUnavailable(`the store in ${this.#dir} is closed`);
    const text = this.#events.get(revision);
    if (text === undefined)
      throw new StoreUnavailable(`revision ${revision} is missing in the store in ${this.#dir}. Restore the folder from a backup.`);
    return text.slice(text.indexOf('\n') + 1);
  }

  async compact(compactedRevision: number, forgotten: readonly number[]): Promise<void> {
    await this.#transaction(() => [this.#meta.put('compacted', compactedRevision)]);
    await this.#forget([...this.#unneeded, ...forgotten]);
    this.#unneeded = [];
  }

  async #forget(revisions: readonly number[]): Promise<void> {
    for (let start = 0; start < revisions.length; start += COMPACTION_BATCH) {
      const batch = revisions.slice(start, start + COMPACTION_BATCH);
      await this.#transaction(() => batch.map((revision) => this.#events.remove(revision)));
      for (const revision of batch) this.#cache.delete(revision);
    }
  }

  /**
   * Runs all writes that `write` starts as one transaction. If the transaction fails, the promise of each write rejects, so the method
   * awaits all promises.
   */
  async #transaction(write: () => readonly Promise<boolean>[]): Promise<void> {
    let writes: readonly Promise<boolean>[] = [];
    const batch = this.#root.batch(() => {
      writes = write();
    });
    const outcomes = await Promise.allSettled([batch, ...writes]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw this.#unwritable(await underlying(failed.reason));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#root.close();
    await this.#onClosed();
  }

  #load(): JournalState {
    this.#assertFormat();
    const compactedRevision = this.#meta.get('compacted') ?? FIRST_REVISION;
    const heads: [string, number][] = [];
    for (const { key, value } of this.#heads.getRange()) heads.push([key, value]);
    const history: JournalRecord[] = [];
    for (const { key: revision, value } of this.#events.getRange({ start: compactedRevision + 1 })) {
      history.push(decodeRecord(revision, value));
    }
    const revision = Math.max(compactedRevision, history.at(-1)?.revision ?? 0);
    this.#assertComplete(compactedRevision, revision, history);
    this.#unneeded = this.#leftOver(
      compactedRevision,
      new Set([...heads.map(([, head]) => head), ...history.map(({ previous }) => previous)]),
    );
    return { revision, compactedRevision, heads, history };
  }

  /** Returns the entries that an interrupted compaction left behind. */
  #leftOver(compactedRevision: number, needed: ReadonlySet<number>): readonly number[] {
    const found: number[] = [];
    for (const revision of this.#events.getKeys({ end: compactedRevision + 1 })) if (!needed.has(revision)) found.push(revision);
    return found;
  }

  #assertFormat(): void {
    const format = this.#meta.get('format');
    if (format === undefined) this.#meta.putSync('format', FORMAT);
    else if (format !== FORMAT) {
      throw new StoreUnavailable(
        `the store in ${this.#dir} has format ${format}, this program reads format ${FORMAT}. Use the program that wrote it.`,
      );
    }
  }

  /** Throws if a revision is missing. Revisions have no gaps, so a missing revision means lost data, which must be reported immediately. */
  #assertComplete(compacted: number, newest: number, history: readonly JournalRecord[]): void {
    if (history.length === newest - compacted) return;
    throw new StoreUnavailable(
      `the store in ${this.#dir} is damaged: ${newest - compacted - history.length} changes between revisions ${compacted} and ${newest} are missing. Restore the folder from a backup.`,
    );
  }

  #unwritable(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(
      `cannot write to the store in ${this.#dir}: ${errorMessage(cause)}. Make sure the disk has room and the folder is writable; nothing of this write was kept.`,
      { cause },
    );
  }
}

/**
 * Encodes an entry as a line such as `p 12 /configmaps/default/a` and a line with the object, so that the list of changes can be read
 * without parsing objects.
 */
function encode({ type, previous, key, object }: JournalEntry): string {
  return `${type === 'put' ? 'p' : 'd'} ${previous} ${key}\n${JSON.stringify(object)}`;
}

function decodeRecord(revision: number, text: string): JournalRecord {
  const [type, previous, ...key] = text.slice(0, text.indexOf('\n')).split(' ');
  return { revision, type: type === 'p' ? 'put' : 'delete', previous: Number(previous), key: copyOf(key.join(' ')) };
}

/** Returns a string that does not refer to the text it was cut from: V8 keeps the whole text in memory while a part of it is used. */
function copyOf(part: string): string {
  return Buffer.from(part).toString();
}

/** Returns the reason why a commit failed. LMDB's error does not contain it; it is in a promise that is attached to the error. */
async function underlying(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<unknown> };
  return commitError
    ? commitError.then(
        () => error,
        (cause: unknown) => cause,
      )
    : error;
}
