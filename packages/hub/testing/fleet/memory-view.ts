import { type KubeObject, type ObjectKey, keyOf, keyString } from '@outrigger/core';
import type { CacheView, Projected, Resource } from '@outrigger/kube';

const projections = new WeakMap<KubeObject, Projected>();

/** Stored objects never change, so each is projected only once. */
function projected(resource: Resource, object: KubeObject): Projected {
  const known = projections.get(object);
  if (known) return known;
  const record = resource.project(object, (value) => value);
  projections.set(object, record);
  return record;
}

/** A cache without indexes: it contains too few objects to need them. */
export class MemoryView implements CacheView {
  readonly #records = new Map<unknown, ReadonlyMap<string, Projected>>();

  constructor(kinds: Iterable<readonly [Resource, Iterable<KubeObject>]>) {
    for (const [resource, objects] of kinds) {
      this.#records.set(resource, new Map(Array.from(objects, (object) => [keyString(keyOf(object)), projected(resource, object)])));
    }
  }

  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined {
    return this.#of(resource).get(keyString(key));
  }

  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[] {
    const values = resource.indexes[index];
    return [...this.#of(resource).values()].filter((record) => values(record).includes(value));
  }

  list<P extends Projected>(resource: Resource<P>): Iterable<P> {
    return this.#of(resource).values();
  }

  isComplete(): boolean {
    return true;
  }

  #of<P extends Projected>(resource: Resource<P>): ReadonlyMap<string, P> {
    return (this.#records.get(resource) ?? new Map()) as ReadonlyMap<string, P>;
  }
}
