import type { ObjectKey, Projected } from '@outrigger/core';
import type { Change } from '../controller.js';
import type { CacheView, Resource } from '../resource.js';
import { InternTable } from './intern.js';
import { ResourceStore } from './store.js';

export interface CacheListener {
  changed(resource: Resource, change: Change<Projected>): void;
  failed(resource: Resource, key: ObjectKey, error: unknown): void;
}

/** A cache with one store per Resource object. Equal values are kept in memory once for all stores. */
export class Cache implements CacheView {
  readonly #stores = new Map<Resource, ResourceStore>();
  readonly #interned = new InternTable();
  readonly #listener: CacheListener;
  readonly #namespaces: ReadonlyMap<Resource, string>;

  /** `namespaces` contains the namespace of each resource that is read in a single namespace known only at run time. */
  constructor(listener: CacheListener, namespaces: ReadonlyMap<Resource, string> = new Map()) {
    this.#listener = listener;
    this.#namespaces = namespaces;
  }

  add(resource: Resource): ResourceStore {
    const found = this.#stores.get(resource);
    if (found) return found;
    const namespace = this.#namespaces.get(resource);
    const store = new ResourceStore(namespace === undefined ? resource : { ...resource, namespace }, this.#interned.intern, {
      changed: (change) => this.#listener.changed(resource, change),
      failed: (key, error) => this.#listener.failed(resource, key, error),
    });
    this.#stores.set(resource, store);
    return store;
  }

  /** Removes the resource. Readers no longer see its projections; the removal is not reported as a change. */
  drop(resource: Resource): void {
    this.#stores.delete(resource);
  }

  stores(): Iterable<ResourceStore> {
    return this.#stores.values();
  }

  find(resource: Resource): ResourceStore | undefined {
    return this.#stores.get(resource);
  }

  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined {
    return this.#store(resource).get(key);
  }

  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[] {
    return this.#store(resource).byIndex(index, value);
  }

  list<P extends Projected>(resource: Resource<P>): Iterable<P> {
    return this.#store(resource).list();
  }

  isComplete<P extends Projected>(resource: Resource<P>): boolean {
    return this.#stores.get(resource)?.synced ?? false;
  }

  #store<P extends Projected>(resource: Resource<P>): ResourceStore<P> {
    const store = this.#stores.get(resource);
    if (store) return store as unknown as ResourceStore<P>;
    throw new Error(
      `no controller watches ${resource.name}: a controller reads only resources that one of the manager's controllers watches`,
    );
  }
}
