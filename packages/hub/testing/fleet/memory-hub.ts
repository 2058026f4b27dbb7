import { INSTALLED_SPEC_ANNOTATION } from '@outrigger/api';
import {
  ApiError,
  type Kind,
  type KubeObject,
  type ManagedFieldsEntry,
  deepEqual,
  isJsonObject,
  keyOf,
  keyString,
  mergePatch,
} from '@outrigger/core';
import type { Action } from '@outrigger/kube';

/**
 * A minimal API server for fleet passes, with optimistic locking and field ownership of specs. Tests run thousands of histories with tens
 * of passes each, so it implements only the behaviour that the rules under test depend on.
 */
export class MemoryHub {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #now: () => string;
  #revision = 0;
  #uid = 0;
  /** Called with every accepted change, before the change is visible to readers. */
  onChange: (kind: string, before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;

  constructor(now: () => string) {
    this.#now = now;
  }

  get revision(): number {
    return this.#revision;
  }

  list<T extends KubeObject>(kind: Kind<T>): readonly T[] {
    return [...(this.#objects.get(kind.plural)?.values() ?? [])] as T[];
  }

  get<T extends KubeObject>(kind: Kind<T>, key: { readonly name: string; readonly namespace?: string }): T | undefined {
    return this.#objects.get(kind.plural)?.get(keyString(key)) as T | undefined;
  }

  /** A copy of the current objects of a kind. Later changes do not affect it. */
  snapshot(kind: Kind): ReadonlyMap<string, KubeObject> {
    return new Map(this.#objects.get(kind.plural) ?? []);
  }

  /** Creates or replaces an object with an update, not an apply. `manager` becomes the owner of the fields that change. */
  put(kind: Kind, object: KubeObject, manager = 'person'): void {
    const old = this.#objects.get(kind.plural)?.get(keyString(keyOf(object)));
    this.#commit(kind, old, owned(old, { ...old, ...object, metadata: { ...old?.metadata, ...object.metadata } }, manager, 'Update'));
  }

  /** Replaces the status if the object has not changed since it was read. */
  putStatus(kind: Kind, seen: KubeObject, status: object): boolean {
    const old = this.get(kind, keyOf(seen));
    if (old?.metadata.resourceVersion !== seen.metadata.resourceVersion) return false;
    this.#commit(kind, old, { ...old, status } as KubeObject);
    return true;
  }

  remove(kind: Kind, key: { readonly name: string; readonly namespace?: string }): void {
    const old = this.get(kind, key);
    if (old) this.#commit(kind, old, undefined);
  }

  /** Executes one action of a decision, or throws the error that the API server would return. */
  execute(action: Action): void {
    try {
      this.#execute(action);
    } catch (error) {
      if (action.type === 'effect' || !(error instanceof ApiError) || !action.accept?.includes(error.reason)) throw error;
    }
  }

  #execute(action: Action): void {
    switch (action.type) {
      case 'create': {
        if (this.get(action.kind, keyOf(action.object))) throw new ApiError('AlreadyExists', action.id);
        this.#commit(action.kind, undefined, owned(undefined, action.object, action.fieldManager ?? 'hub', 'Update'));
        return;
      }
      case 'patch': {
        const old = this.#expect(action.kind, action.key, action.precondition);
        const next = mergePatch<KubeObject>(old, action.patch);
        this.#commit(action.kind, old, owned(old, next, action.fieldManager ?? 'hub', 'Update'));
        return;
      }
      case 'apply': {
        const old = this.#expect(action.kind, keyOf(action.object), action.object.metadata);
        this.#commit(action.kind, old, applied(old, action.object, action.fieldManager, action.force === true));
        return;
      }
      case 'delete': {
        this.#commit(action.kind, this.#expect(action.kind, action.key, action.precondition), undefined);
        return;
      }
      default:
        throw new Error(`a fleet pass has no ${action.type}`);
    }
  }

  #expect(
    kind: Kind,
    key: { readonly name: string; readonly namespace?: string },
    wanted: { readonly uid?: string; readonly resourceVersion?: string },
  ): KubeObject {
    const old = this.get(kind, key);
    if (!old) throw new ApiError('NotFound', `${kind.plural} ${keyString(key)}`);
    const { uid, resourceVersion } = old.metadata;
    const isOther = wanted.uid !== uid || (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion);
    if (isOther) throw new ApiError('Conflict', `${kind.plural} ${keyString(key)}`);
    return old;
  }

  #commit(kind: Kind, old: KubeObject | undefined, next: KubeObject | undefined): void {
    const objects = this.#objects.get(kind.plural) ?? new Map<string, KubeObject>();
    this.#objects.set(kind.plural, objects);
    const id = keyString(keyOf((next ?? old) as KubeObject));
    if (old && next && deepEqual(old, next)) return;
    const stored = next && this.#stamped(old, next);
    this.onChange(kind.plural, old, stored);
    if (stored) objects.set(id, stored);
    else objects.delete(id);
  }

  #stamped(old: KubeObject | undefined, next: KubeObject): KubeObject {
    const { spec: before } = (old ?? {}) as { spec?: unknown };
    const { spec: after } = next as { spec?: unknown };
    const metadata = {
      ...next.metadata,
      uid: old?.metadata.uid ?? `uid-${++this.#uid}`,
      resourceVersion: String(++this.#revision),
      generation: (old?.metadata.generation ?? 0) + (old && deepEqual(before, after) ? 0 : 1),
      creationTimestamp: old?.metadata.creationTimestamp ?? this.#now(),
    };
    return { ...next, metadata };
  }
}

const FIELDS = ['installNamespace', 'installVersion', 'configs', 'mark'] as const;
type Entry = ManagedFieldsEntry & { readonly fields: readonly string[] };

function specOf(object: KubeObject | undefined): Record<string, unknown> {
  const { spec } = (object ?? {}) as { spec?: unknown };
  const mark = object?.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION];
  return { ...(isJsonObject(spec) ? spec : {}), ...(mark === undefined ? {} : { mark }) };
}

function entriesOf(object: KubeObject | undefined): readonly Entry[] {
  return (object?.metadata.managedFields ?? []) as readonly Entry[];
}

function entry(manager: string, operation: 'Apply' | 'Update', fields: readonly string[]): Entry {
  const spec = Object.fromEntries(fields.filter((field) => field !== 'mark').map((field) => [`f:${field}`, {}]));
  const annotations = fields.includes('mark') ? { [`f:${INSTALLED_SPEC_ANNOTATION}`]: {} } : {};
  return { manager, operation, fields, fieldsV1: { 'f:spec': spec, 'f:metadata': { 'f:annotations': annotations } } };
}

function withEntries(object: KubeObject, entries: readonly Entry[]): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields: entries.filter(({ fields }) => fields.length > 0) } };
}

/** Computes field ownership after an update, which takes over the fields that it changes from all other field managers. */
function owned(old: KubeObject | undefined, next: KubeObject, manager: string, operation: 'Update'): KubeObject {
  const [before, after] = [specOf(old), specOf(next)];
  const changed = FIELDS.filter((field) => !deepEqual(before[field], after[field]));
  if (changed.length === 0) return next;
  const others = entriesOf(old)
    .filter((held) => held.manager !== manager || held.operation !== operation)
    .map((held) =>
      entry(
        held.manager ?? '',
        held.operation ?? 'Update',
        held.fields.filter((field) => !changed.includes(field as never)),
      ),
    );
  const own = entriesOf(old).find((held) => held.manager === manager && held.operation === operation);
  const fields = FIELDS.filter((field) => after[field] !== undefined && (changed.includes(field) || own?.fields.includes(field)));
  return withEntries(next, [...others, entry(manager, operation, fields)]);
}

/**
 * Applies an object for a field manager. The field manager then owns the fields in the object. A field that it applied before and that the
 * object no longer contains is removed, unless another field manager owns it. Fails on a conflict unless the apply is forced.
 */
function applied(old: KubeObject, object: KubeObject, manager: string, force: boolean): KubeObject {
  const [live, wanted] = [specOf(old), specOf(object)];
  const isOwn = (held: Entry): boolean => held.manager === manager && held.operation === 'Apply';
  const names = FIELDS.filter((field) => wanted[field] !== undefined);
  const changed = names.filter((field) => !deepEqual(live[field], wanted[field]));
  const others = entriesOf(old).filter((held) => !isOwn(held));
  const conflict = changed.find((field) => others.some(({ fields }) => fields.includes(field)));
  if (conflict && !force) throw new ApiError('Conflict', `conflict over ${conflict}`);
  const dropped = (entriesOf(old).find(isOwn)?.fields ?? []).filter((field) => !names.includes(field as never));
  const removed = dropped.filter((field) => !others.some(({ fields }) => fields.includes(field)));
  const { mark: _, ...spec } = { ...live, ...wanted };
  for (const field of removed) delete spec[field];
  const rest = others.map((held) =>
    entry(
      held.manager ?? '',
      held.operation ?? 'Update',
      held.fields.filter((field) => !changed.includes(field as never)),
    ),
  );
  const metadata = { ...old.metadata, annotations: { ...old.metadata.annotations, ...object.metadata.annotations } };
  return withEntries({ ...old, metadata, spec } as KubeObject, [...rest, entry(manager, 'Apply', names)]);
}
