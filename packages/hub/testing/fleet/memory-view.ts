import { controllerRevisions } from '@outrigger/api';
import { type KubeObject, type ObjectKey, keyOf, keyString, type Projected } from '@outrigger/core';
import type { CacheView, Resource } from '@outrigger/kube';

const projections = new WeakMap<Resource, WeakMap<KubeObject, Projected>>();

/** Projects a stored object. Stored objects never change, so each is projected only once per resource. */
function projected(resource: Resource, object: KubeObject): Projected {
  const ofResource = projections.get(resource) ?? new WeakMap<KubeObject, Projected>();
  projections.set(resource, ofResource);
  const known = ofResource.get(object);
  if (known) return known;
  const record = resource.project(object, (value) => value);
  ofResource.set(object, record);
  return record;
}

/**
 * Whether the label selector of a resource selects the object. Only selectors of ControllerRevisions are evaluated; each of them names one
 * label that must exist.
 */
function isSelected({ kind, labelSelector }: Resource, { metadata }: KubeObject): boolean {
  return kind.plural !== controllerRevisions.plural || labelSelector === undefined || metadata.labels?.[labelSelector] !== undefined;
}

/** A cache without indexes, because it contains too few objects to need them. */
export class MemoryView implements CacheView {
  readonly #records = new Map<unknown, ReadonlyMap<string, Projected>>();

  constructor(kinds: Iterable<readonly [Resource, Iterable<KubeObject>]>) {
    for (const [resource, objects] of kinds) {
      const selected = [...objects].filter((object) => isSelected(resource, object));
      this.#records.set(resource, new Map(selected.map((object) => [keyString(keyOf(object)), projected(resource, object)])));
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
