import { type Cancel, type KubeObject, keyOf, type ObjectKey } from '@outrigger/core';
import type { Change } from '../controller.js';
import type { Intern, Projected, Resource } from '../resource.js';
import { IndexTable } from './index-table.js';
import { RecordTable } from './record-table.js';
import { isAtLeast } from './resource-version.js';
import { type AwaitedWrite, WriteWaiters } from './write-waiters.js';

export interface StoreListener<P extends Projected> {
  changed(change: Change<P>): void;
  /**
   * Called when `project` or an index function threw an error. The last valid record of the object stays, and other objects are not
   * affected.
   */
  failed(key: ObjectKey, error: unknown): void;
}

/**
 * The projected records of one resource. A reflector updates them. A relist marks the listed objects and then removes the others, so the
 * full list is never in memory. Afterwards watch events are applied. Listeners are notified only if a projected field changed.
 */
export class ResourceStore<P extends Projected = Projected> {
  readonly resource: Resource<P>;
  readonly #records = new RecordTable<P>();
  readonly #indexes: IndexTable<P>;
  readonly #intern: Intern;
  readonly #listener: StoreListener<P>;
  readonly #waiters: WriteWaiters;
  #generation = 0;
  #synced = false;
  #progress = '';

  constructor(resource: Resource<P>, intern: Intern, listener: StoreListener<P>) {
    this.resource = resource;
    this.#indexes = new IndexTable(resource.indexes, (slot) => this.#records.at(slot));
    this.#intern = intern;
    this.#listener = listener;
    this.#waiters = new WriteWaiters((write) => this.#isReached(write));
  }

  /** Whether at least one complete list was seen. */
  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#records.size;
  }

  get(key: ObjectKey): P | undefined {
    return this.#records.get(key);
  }

  byIndex(index: string, value: string): readonly P[] {
    const found = this.#indexes.find(index, value);
    if (found) return found;
    throw new Error(`${this.resource.name} has no index "${index}"; it has: ${this.#indexes.names().join(', ') || 'none'}`);
  }

  list(): IterableIterator<P> {
    return this.#records.values();
  }

  /** Starts a relist. Objects that are not listed before `endRelist` are removed. May be called again before `endRelist`. */
  beginRelist(): void {
    this.#generation++;
  }

  relistItem(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#records.get(key);
    const { uid, resourceVersion } = object.metadata;
    if (known && known.uid === uid && known.resourceVersion === resourceVersion) this.#records.mark(key, this.#generation);
    else this.#put(known, object);
  }

  endRelist(resourceVersion: string): void {
    for (const record of this.#records.notMarked(this.#generation)) this.#drop(record);
    // A list older than the observed version means that the server was restored from a backup, so this store will never observe the awaited
    // writes.
    const wentBack = this.#progress !== '' && !isAtLeast(resourceVersion, this.#progress);
    this.#progress = resourceVersion;
    this.#synced = true;
    if (wentBack) this.#waiters.releaseAll();
    else this.#waiters.checkAll();
  }

  /** Handles an ADDED or MODIFIED event. Ignores an event that is older than the cached record. */
  apply(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#records.get(key);
    if (!known || !isStale(object, known)) this.#put(known, object);
    this.#advance(object.metadata.resourceVersion);
    this.#waiters.check(key);
  }

  /** A DELETED event. */
  remove(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#records.get(key);
    if (known && !isStale(object, known)) this.#drop(known);
    this.#advance(object.metadata.resourceVersion);
    this.#waiters.check(key);
  }

  bookmark(resourceVersion: string): void {
    this.#advance(resourceVersion);
    this.#waiters.checkAll();
  }

  hasReached(write: AwaitedWrite): boolean {
    return this.#isReached(write);
  }

  /** Calls `task` when this store contains the write, possibly immediately. */
  whenReached(write: AwaitedWrite, task: () => void): Cancel {
    return this.#waiters.add(write, task);
  }

  #put(before: P | undefined, object: KubeObject): void {
    let after: P;
    let values: readonly (readonly string[])[];
    try {
      after = this.resource.project(object, this.#intern);
      values = this.#indexes.valuesOf(after);
    } catch (error) {
      if (before) this.#records.mark(before.key, this.#generation);
      this.#listener.failed(keyOf(object), error);
      return;
    }
    const slot = this.#records.set(after, this.#generation);
    this.#indexes.put(slot, before, after, values);
    if (before === undefined || !isSameButVersion(before, after)) this.#listener.changed({ before, after });
  }

  #drop(record: P): void {
    const slot = this.#records.delete(record.key);
    this.#indexes.remove(slot, record);
    this.#listener.changed({ before: record, after: undefined });
  }

  #advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    if (this.#progress === '' || isAtLeast(resourceVersion, this.#progress)) this.#progress = resourceVersion;
  }

  #isReached({ key, resourceVersion, goneUid }: AwaitedWrite): boolean {
    const record = this.#records.get(key);
    if (goneUid !== undefined && record?.uid !== goneUid) return true;
    if (resourceVersion === undefined) return goneUid === undefined;
    return isAtLeast(this.#progress, resourceVersion) || (record !== undefined && isAtLeast(record.resourceVersion, resourceVersion));
  }
}

function isStale(object: KubeObject, record: Projected): boolean {
  const { uid, resourceVersion = '' } = object.metadata;
  return uid === record.uid && resourceVersion !== record.resourceVersion && isAtLeast(record.resourceVersion, resourceVersion);
}

/** Compares two records field by field. Equal parts are the same instance if the projection interned them. */
function isSameButVersion(a: Projected, b: Projected): boolean {
  const before = a as unknown as Readonly<Record<string, unknown>>;
  const after = b as unknown as Readonly<Record<string, unknown>>;
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => name === 'resourceVersion' || name === 'key' || before[name] === after[name]);
}
