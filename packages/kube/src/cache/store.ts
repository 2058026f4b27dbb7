import { type Cancel, type KubeObject, keyOf, type ObjectKey, type Intern, type Projected } from '@outrigger/core';
import type { Change } from '../controller.js';
import type { Resource } from '../resource.js';
import { IndexTable } from './index-table.js';
import { ProjectionTable } from './projection-table.js';
import { isAtLeast } from './resource-version.js';
import { Twins } from './twins.js';
import { type AwaitedWrite, WriteWaiters } from './write-waiters.js';

export interface StoreListener<P extends Projected> {
  changed(change: Change<P>): void;
  /**
   * Called when `project` or an index function threw an error. The last valid projection of the object stays, and other objects are not
   * affected.
   */
  failed(key: ObjectKey, error: unknown): void;
}

/**
 * The projections of one resource. A reflector updates them. A relist notes which objects are listed and then removes the others, so the
 * full list is never in memory. Afterwards watch events are applied. Listeners are notified only if a projected field changed.
 */
export class ResourceStore<P extends Projected = Projected> {
  readonly resource: Resource<P>;
  readonly #projections = new ProjectionTable<P>();
  readonly #indexes: IndexTable<P>;
  readonly #twins: Twins;
  readonly #listener: StoreListener<P>;
  readonly #waiters: WriteWaiters;
  #generation = 0;
  #synced = false;
  #progress = '';

  constructor(resource: Resource<P>, intern: Intern, listener: StoreListener<P>) {
    this.resource = resource;
    this.#indexes = new IndexTable(resource.indexes, (slot) => this.#projections.at(slot));
    this.#twins = new Twins(intern);
    this.#listener = listener;
    this.#waiters = new WriteWaiters((write) => this.#isReached(write));
  }

  /** Whether at least one complete list was seen. */
  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#projections.size;
  }

  get(key: ObjectKey): P | undefined {
    return this.#projections.get(key);
  }

  byIndex(index: string, value: string): readonly P[] {
    const found = this.#indexes.find(index, value);
    if (found) return found;
    throw new Error(`${this.resource.name} has no index "${index}"; it has: ${this.#indexes.names().join(', ') || 'none'}`);
  }

  list(): IterableIterator<P> {
    return this.#projections.values();
  }

  /** Starts a relist. Objects that are not listed before `endRelist` are removed. May be called again before `endRelist`. */
  beginRelist(): void {
    this.#generation++;
  }

  relistItem(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#projections.get(key);
    const { uid, resourceVersion } = object.metadata;
    if (known && known.uid === uid && known.resourceVersion === resourceVersion) this.#projections.mark(key, this.#generation);
    else this.#put(known, object);
  }

  endRelist(resourceVersion: string): void {
    for (const projection of this.#projections.notMarked(this.#generation)) this.#drop(projection);
    // If a list is older than the version that this store has observed, the server was restored from a backup. This store will then never
    // observe the writes for which passes wait.
    const wentBack = this.#progress !== '' && !isAtLeast(resourceVersion, this.#progress);
    this.#progress = resourceVersion;
    this.#synced = true;
    if (wentBack) this.#waiters.releaseAll();
    else this.#waiters.checkAll();
  }

  /** Handles an ADDED or MODIFIED event. Ignores an event that is older than the cached projection. */
  apply(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#projections.get(key);
    if (!known || !isStale(object, known)) this.#put(known, object);
    this.#advance(object.metadata.resourceVersion);
    this.#waiters.check(key);
  }

  /** Handles a DELETED event. Ignores an event that is older than the cached projection. */
  remove(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#projections.get(key);
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

  /** Calls `task` as soon as this store contains the write, or immediately if the store already contains it. */
  whenReached(write: AwaitedWrite, task: () => void): Cancel {
    return this.#waiters.add(write, task);
  }

  #put(before: P | undefined, object: KubeObject): void {
    let after: P;
    let values: readonly (readonly string[])[];
    try {
      this.#twins.begin(object.metadata.namespace === undefined ? '' : (object.metadata.name ?? ''));
      after = this.resource.project(object, this.#twins.intern);
      values = this.#indexes.valuesOf(after);
    } catch (error) {
      if (before) this.#projections.mark(before.key, this.#generation);
      this.#listener.failed(keyOf(object), error);
      return;
    }
    const slot = this.#projections.set(after, this.#generation);
    this.#indexes.put(slot, before, after, values);
    if (before === undefined || !isSameButVersion(before, after)) this.#listener.changed({ before, after });
  }

  #drop(projection: P): void {
    const slot = this.#projections.delete(projection.key);
    this.#indexes.remove(slot, projection);
    this.#listener.changed({ before: projection, after: undefined });
  }

  #advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    if (this.#progress === '' || isAtLeast(resourceVersion, this.#progress)) this.#progress = resourceVersion;
  }

  #isReached({ key, resourceVersion, goneUid }: AwaitedWrite): boolean {
    const known = this.#projections.get(key);
    if (goneUid !== undefined && known?.uid !== goneUid) return true;
    if (resourceVersion === undefined) return goneUid === undefined;
    return isAtLeast(this.#progress, resourceVersion) || (known !== undefined && isAtLeast(known.resourceVersion, resourceVersion));
  }
}

function isStale(object: KubeObject, projection: Projected): boolean {
  const { uid, resourceVersion = '' } = object.metadata;
  return uid === projection.uid && resourceVersion !== projection.resourceVersion && isAtLeast(projection.resourceVersion, resourceVersion);
}

/** Compares two projections field by field. Equal parts are the same instance if `project` interned them. */
function isSameButVersion(a: Projected, b: Projected): boolean {
  const before = a as unknown as Readonly<Record<string, unknown>>;
  const after = b as unknown as Readonly<Record<string, unknown>>;
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => name === 'resourceVersion' || name === 'key' || before[name] === after[name]);
}
