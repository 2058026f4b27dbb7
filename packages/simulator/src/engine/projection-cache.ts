import type { Intern, KubeObject, ObjectKey, Projected } from '@outrigger/core';
import { fieldsOf, keyOf, keyString, parseFieldSelector, parseLabelSelector } from '@outrigger/core';
import type { CacheView, Change, Index, Resource } from '@outrigger/kube';

/** Replaces equal values by one instance, so that rules can compare them with `===`. Several runs share the values of `base`. */
export class LayeredIntern {
  readonly #base: ReadonlyMap<string, object>;
  readonly #own = new Map<string, object>();
  /**
   * The interned instance of each value, keyed by the value's reference. Most lookups succeed, because a write never modifies an object in
   * place, and versions of an object share parts.
   */
  readonly #known = new WeakMap<object, object>();

  constructor(base: ReadonlyMap<string, object> = new Map()) {
    this.#base = base;
  }

  readonly intern: Intern = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#known.get(value);
    if (known !== undefined) return known as T;
    const content = JSON.stringify(value);
    const found = this.#base.get(content) ?? this.#own.get(content);
    if (found === undefined) this.#own.set(content, value);
    this.#known.set(value, found ?? value);
    return (found ?? value) as T;
  };

  /** Returns all values, to be used as the base of later runs. */
  values(): ReadonlyMap<string, object> {
    return new Map([...this.#base, ...this.#own]);
  }
}

/**
 * A cache of projections by resource and object. Objects are never modified in place, so each object is projected once for all processes of
 * a run.
 */
export class Projections {
  readonly #base: Projections | undefined;
  readonly #known = new Map<Resource, WeakMap<KubeObject, Projected>>();
  readonly #intern: Intern;

  constructor(intern: Intern, base?: Projections) {
    this.#intern = intern;
    this.#base = base;
  }

  of(resource: Resource, object: KubeObject): Projected {
    const base = this.#base?.known(resource, object);
    if (base) return base;
    const found = this.known(resource, object);
    if (found) return found;
    const projection = resource.project(object, this.#intern);
    const projections = this.#known.get(resource) ?? new WeakMap<KubeObject, Projected>();
    this.#known.set(resource, projections);
    projections.set(object, projection);
    return projection;
  }

  known(resource: Resource, object: KubeObject): Projected | undefined {
    return this.#known.get(resource)?.get(object) ?? this.#base?.known(resource, object);
  }
}

const selections = new WeakMap<Resource, (object: KubeObject) => boolean>();

/** Whether a watch on the resource reports the object. */
export function isSelected(resource: Resource, object: KubeObject): boolean {
  const known = selections.get(resource);
  if (known) return known(object);
  const { labelSelector, fieldSelector } = resource;
  const labels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  const fields = fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector);
  const selects = (candidate: KubeObject): boolean =>
    (!labels || labels.matches(candidate.metadata.labels)) && (!fields || fields.matches(fieldsOf(candidate)));
  selections.set(resource, selects);
  return selects(object);
}

/** The projections of one resource in a cache, with their indexes. */
export class ProjectionStore {
  readonly resource: Resource;
  readonly #cached = new Map<string, Projected>();
  readonly #indexes: readonly { readonly of: (projection: Projected) => readonly string[]; readonly values: Map<string, Set<Projected>> }[];
  readonly #byName: ReadonlyMap<string, Map<string, Set<Projected>>>;
  readonly #projections: Projections;
  readonly #namespace: string | undefined;

  constructor(resource: Resource, projections: Projections, namespace: string | undefined) {
    this.resource = resource;
    this.#projections = projections;
    this.#namespace = namespace ?? resource.namespace;
    const named = Object.entries(resource.indexes as Readonly<Record<string, Index<Projected>>>).map(([name, of]) => ({
      name,
      of,
      values: new Map<string, Set<Projected>>(),
    }));
    this.#indexes = named;
    this.#byName = new Map(named.map(({ name, values }) => [name, values]));
  }

  get(key: ObjectKey): Projected | undefined {
    return this.#cached.get(keyString(key));
  }

  byIndex(index: string, value: string): readonly Projected[] {
    const values = this.#byName.get(index);
    if (!values) throw new Error(`${this.resource.name} has no index "${index}"`);
    const found = values.get(value);
    return found ? [...found] : [];
  }

  values(): IterableIterator<Projected> {
    return this.#cached.values();
  }

  keys(): readonly string[] {
    return [...this.#cached.keys()];
  }

  /** Stores the newest state of an object; `object` is undefined if it was deleted. Returns the change if a projected field changed. */
  take(id: string, object: KubeObject | undefined): Change<Projected> | undefined {
    const before = this.#cached.get(id);
    const isIn =
      object && (this.#namespace === undefined || object.metadata.namespace === this.#namespace) && isSelected(this.resource, object);
    const after = isIn ? this.#projections.of(this.resource, object) : undefined;
    if (before === after) return undefined;
    if (before) this.#forget(before);
    if (after) {
      this.#cached.set(id, after);
      for (const { of, values } of this.#indexes) for (const value of of(after)) add(values, value, after);
    } else this.#cached.delete(id);
    return before && after && isSameButVersion(before, after) ? undefined : { before, after };
  }

  #forget(projection: Projected): void {
    for (const { of, values } of this.#indexes) {
      for (const value of of(projection)) {
        const found = values.get(value);
        if (found?.delete(projection) && found.size === 0) values.delete(value);
      }
    }
  }
}

function add(values: Map<string, Set<Projected>>, value: string, projection: Projected): void {
  const found = values.get(value);
  if (found) found.add(projection);
  else values.set(value, new Set([projection]));
}

/** Compares two projections field by field with `===`, like the manager's cache. */
function isSameButVersion(a: Projected, b: Projected): boolean {
  const before = a as unknown as Readonly<Record<string, unknown>>;
  const after = b as unknown as Readonly<Record<string, unknown>>;
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return false;
  return names.every((name) => name === 'resourceVersion' || name === 'key' || before[name] === after[name]);
}

/** The caches of one process, as input to `observe`. */
export class ProjectionView implements CacheView {
  readonly #stores: ReadonlyMap<Resource, ProjectionStore>;

  constructor(stores: ReadonlyMap<Resource, ProjectionStore>) {
    this.#stores = stores;
  }

  get<P extends Projected>(resource: Resource<P>, key: ObjectKey): P | undefined {
    return this.#store(resource).get(key) as P | undefined;
  }

  byIndex<P extends Projected>(resource: Resource<P>, index: string, value: string): readonly P[] {
    return this.#store(resource).byIndex(index, value) as readonly P[];
  }

  list<P extends Projected>(resource: Resource<P>): Iterable<P> {
    return this.#store(resource).values() as Iterable<P>;
  }

  isComplete(): boolean {
    return true;
  }

  #store<P extends Projected>(resource: Resource<P>): ProjectionStore {
    const store = this.#stores.get(resource);
    if (store) return store;
    throw new Error(`no controller watches ${resource.name}`);
  }
}

export function idOf(object: KubeObject): string {
  return keyString(keyOf(object));
}
