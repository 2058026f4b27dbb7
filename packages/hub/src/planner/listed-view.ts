import { type KubeObject, type ObjectKey, indexBy, keyOf, keyString, type Intern, type Projected } from '@outrigger/core';
import type { CacheView, Resource } from '@outrigger/kube';

/** Returns the same instance for equal values, as the manager's cache does, because the rules compare reports by identity. */
function sharing(): Intern {
  const known = new Map<string, unknown>();
  return <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const content = JSON.stringify(value);
    const found = known.get(content);
    if (found !== undefined) return found as T;
    known.set(content, value);
    return value;
  };
}

interface Listed {
  readonly records: ReadonlyMap<string, Projected>;
  readonly indexes: Map<string, ReadonlyMap<string, readonly Projected[]>>;
}

/** The manager's view of a hub, built from objects that were listed once. */
export class ListedView implements CacheView {
  readonly #listed = new Map<Resource, Listed>();
  readonly #intern = sharing();

  add(resource: Resource, objects: Iterable<KubeObject>): void {
    const records = new Map<string, Projected>();
    for (const object of objects) records.set(keyString(keyOf(object)), resource.project(object, this.#intern));
    this.#listed.set(resource, { records, indexes: new Map() });
  }

  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined {
    return this.#of(resource).records.get(keyString(key)) as P | undefined;
  }

  list<P extends Projected>(resource: Resource<P>): Iterable<P> {
    return this.#of(resource).records.values() as Iterable<P>;
  }

  isComplete(): boolean {
    return true;
  }

  byIndex<P extends Projected, I extends string>(resource: Resource<P, I>, index: NoInfer<I>, value: string): readonly P[] {
    const { records, indexes } = this.#of(resource);
    const known = indexes.get(index) ?? indexBy(records.values() as Iterable<P>, resource.indexes[index]);
    indexes.set(index, known);
    return (known.get(value) ?? []) as readonly P[];
  }

  #of<P extends Projected>(resource: Resource<P>): Listed {
    const found = this.#listed.get(resource);
    if (found) return found;
    throw new Error(`${resource.name} was not listed`);
  }
}
