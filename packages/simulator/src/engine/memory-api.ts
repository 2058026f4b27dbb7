import {
  ApiError,
  type JsonObject,
  type Kind,
  type KubeObject,
  type ObjectKey,
  deepEqual,
  keyOf,
  keyString,
  mergePatch,
  toTime,
} from '@outrigger/core';
import type { Actor, ApiEvent } from './api-event.js';
import { applied, ownedByUpdate } from './field-owners.js';

/**
 * The objects on an API server at one time, as the initial state of runs. A write replaces an object and never modifies it in place, so
 * runs can share objects.
 */
export interface Snapshot {
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>;
  readonly revision: number;
  readonly uids: number;
}

interface Precondition {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** The only kind for which the rules read more of managedFields than the names of the field managers. */
const ADD_ONS = 'managedclusteraddons';
const WORKS = 'manifestworks';

/**
 * The part of an API server that controllers depend on: optimistic locking, preconditions, status subresources, generations, finalizers,
 * field ownership of add-ons, and namespaces. It has neither schemas nor permissions. All methods are synchronous.
 */
export class MemoryApi {
  readonly log: ApiEvent[] = [];
  /** Called after every accepted change. */
  onChange: (event: ApiEvent) => void = () => undefined;
  /** Called before every write request, whether or not it is accepted. */
  onRequest: (actor: Actor, verb: string, kind: Kind, id: string) => void = () => undefined;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #now: () => number;
  #revision: number;
  #uids: number;

  constructor(now: () => number, from?: Snapshot) {
    this.#now = now;
    this.#revision = from?.revision ?? 100;
    this.#uids = from?.uids ?? 0;
    for (const [kind, objects] of from?.objects ?? []) this.#objects.set(kind, new Map(objects));
  }

  get revision(): number {
    return this.#revision;
  }

  snapshot(): Snapshot {
    return {
      objects: new Map([...this.#objects].map(([kind, objects]) => [kind, new Map(objects)])),
      revision: this.#revision,
      uids: this.#uids,
    };
  }

  list<T extends KubeObject>(kind: Kind<T>): Iterable<T> {
    return (this.#objects.get(kind.plural)?.values() ?? []) as Iterable<T>;
  }

  find<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.#objects.get(kind.plural)?.get(keyString(key)) as T | undefined;
  }

  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T {
    const found = this.find(kind, key);
    if (!found) throw new ApiError('NotFound', `${kind.plural} "${keyString(key)}" not found`);
    return found;
  }

  create(actor: Actor, kind: Kind, object: KubeObject, manager: string = actor.name): KubeObject {
    const key = keyOf(object);
    this.onRequest(actor, 'create', kind, keyString(key));
    if (key.namespace !== undefined && !this.#hasNamespace(key.namespace)) {
      throw new ApiError('NotFound', `namespaces "${key.namespace}" not found`);
    }
    if (this.find(kind, key)) throw new ApiError('AlreadyExists', `${kind.plural} "${keyString(key)}" already exists`);
    const { status: _, ...rest } = object as KubeObject & { status?: unknown };
    return this.#commit(actor, kind, undefined, this.#owned(kind, undefined, rest, manager)) as KubeObject;
  }

  patch(
    actor: Actor,
    kind: Kind,
    key: ObjectKey,
    patch: JsonObject,
    options: {
      readonly precondition?: Precondition;
      readonly subresource?: string | undefined;
      readonly manager?: string | undefined;
    } = {},
  ): KubeObject {
    this.onRequest(actor, 'patch', kind, keyString(key));
    const old = this.#expect(kind, key, options.precondition ?? {});
    const { status: _, ...mainPatch } = patch;
    const next =
      options.subresource === 'status' || options.subresource === 'approval'
        ? mergePatch<KubeObject>(old, patch['status'] === undefined ? {} : { status: patch['status'] })
        : mergePatch<KubeObject>(old, mainPatch);
    const kept = { ...next, metadata: { ...next.metadata, uid: old.metadata.uid, resourceVersion: old.metadata.resourceVersion } };
    return this.#update(actor, kind, old, this.#owned(kind, old, kept as KubeObject, options.manager ?? actor.name));
  }

  replace(actor: Actor, kind: Kind, object: KubeObject, subresource?: string): KubeObject {
    const key = keyOf(object);
    this.onRequest(actor, 'replace', kind, keyString(key));
    const old = this.#expect(kind, key, object.metadata);
    const { status } = object as { status?: unknown };
    const { status: before } = old as { status?: unknown };
    const next = subresource === 'status' ? { ...old, status } : { ...object, status: before };
    return this.#update(actor, kind, old, this.#owned(kind, old, next, actor.name));
  }

  apply(actor: Actor, kind: Kind, object: KubeObject, manager: string, force: boolean): KubeObject {
    const key = keyOf(object);
    this.onRequest(actor, 'apply', kind, keyString(key));
    const old = this.#expect(kind, key, object.metadata);
    return this.#update(actor, kind, old, applied(old, object, manager, force));
  }

  /** Deletes an object. Returns the object if finalizers delay its deletion, otherwise undefined. */
  remove(actor: Actor, kind: Kind, key: ObjectKey, precondition: Precondition = {}): KubeObject | undefined {
    this.onRequest(actor, 'delete', kind, keyString(key));
    const old = this.#expect(kind, key, precondition);
    if ((old.metadata.finalizers ?? []).length === 0) return this.#commit(actor, kind, old, undefined);
    if (old.metadata.deletionTimestamp !== undefined) return old;
    return this.#commit(actor, kind, old, { ...old, metadata: { ...old.metadata, deletionTimestamp: toTime(this.#now()) } });
  }

  /** The objects whose owners no longer exist, which the garbage collector deletes. */
  orphans(): readonly { readonly plural: string; readonly object: KubeObject }[] {
    const uids = new Set<string>();
    for (const objects of this.#objects.values()) for (const { metadata } of objects.values()) uids.add(metadata.uid ?? '');
    const found: { plural: string; object: KubeObject }[] = [];
    for (const [plural, objects] of this.#objects) {
      for (const object of objects.values()) {
        const { ownerReferences = [], deletionTimestamp } = object.metadata;
        if (ownerReferences.length === 0 || deletionTimestamp !== undefined) continue;
        if (ownerReferences.every(({ uid }) => !uids.has(uid))) found.push({ plural, object });
      }
    }
    return found;
  }

  #hasNamespace(name: string): boolean {
    const namespace = this.#objects.get('namespaces')?.get(name);
    return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  }

  #owned(kind: Kind, old: KubeObject | undefined, next: KubeObject, manager: string): KubeObject {
    if (kind.plural === ADD_ONS) return ownedByUpdate(old, next, manager);
    if (kind.plural !== WORKS || (old && isSameSpec(old, next))) return next;
    const managedFields = [{ manager, operation: 'Update' as const, time: toTime(this.#now()), fieldsV1: { 'f:spec': {} } }];
    return { ...next, metadata: { ...next.metadata, managedFields } };
  }

  #expect(kind: Kind, key: ObjectKey, wanted: Precondition): KubeObject {
    const old = this.get(kind, key);
    const { uid, resourceVersion } = old.metadata;
    const isOther =
      (wanted.uid !== undefined && wanted.uid !== uid) ||
      (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion);
    if (isOther) throw new ApiError('Conflict', `${kind.plural} "${keyString(key)}": the object has been modified`);
    return old;
  }

  #update(actor: Actor, kind: Kind, old: KubeObject, next: KubeObject): KubeObject {
    if (deepEqual(old, next)) return old;
    const isLast = old.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
    return this.#commit(actor, kind, old, isLast ? undefined : next) ?? old;
  }

  #commit(actor: Actor, kind: Kind, old: KubeObject | undefined, next: KubeObject | undefined): KubeObject | undefined {
    const stored = next && this.#stamped(old, next);
    if (!stored) this.#revision++;
    const objects = this.#objects.get(kind.plural) ?? new Map<string, KubeObject>();
    this.#objects.set(kind.plural, objects);
    const id = keyString(keyOf((stored ?? old) as KubeObject));
    if (stored) objects.set(id, stored);
    else objects.delete(id);
    const event: ApiEvent = { index: this.log.length, at: this.#now(), actor, kind, id, before: old, after: stored };
    this.log.push(event);
    this.onChange(event);
    return stored;
  }

  #stamped(old: KubeObject | undefined, next: KubeObject): KubeObject {
    const isNewSpec = !old || !isSameSpec(old, next);
    const metadata = {
      ...next.metadata,
      uid: old?.metadata.uid ?? `uid-${++this.#uids}`,
      resourceVersion: String(++this.#revision),
      generation: (old?.metadata.generation ?? 0) + (isNewSpec ? 1 : 0),
      creationTimestamp: old?.metadata.creationTimestamp ?? toTime(this.#now()),
    };
    return { ...next, metadata };
  }
}

/** Whether two versions of an object differ only in metadata and status. */
function isSameSpec(a: KubeObject, b: KubeObject): boolean {
  const left: Readonly<Record<string, unknown>> = { ...a };
  const right: Readonly<Record<string, unknown>> = { ...b };
  for (const field of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (field === 'metadata' || field === 'status' || left[field] === right[field]) continue;
    if (!deepEqual(left[field], right[field])) return false;
  }
  return true;
}
