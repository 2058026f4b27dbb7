import { ApiError, errorMessage } from '../errors.js';
import type { ManagedFieldsEntry } from '../meta.js';
import type { ApplyObject } from './values.js';
import { deepEqual } from '../patch/equal.js';
import { assertDepth } from '../patch/own.js';
import type { StructuralSchema } from '../schema/types.js';
import { typeProblems } from './check-value.js';
import { conflictError } from './conflict.js';
import { FieldSet } from './field-set.js';
import { withLastApplied, overLastApplied } from './last-applied.js';
import { capped, decodeManagers, encodeManagers, type Manager, managerId, type Managers } from './managers.js';
import { objectType } from './object-type.js';
import { afterApply, afterUpdate, type Versions } from './ownership.js';

/**
 * The schemas of the versions of a kind, and the conversion between versions. Needed if the field managers of an object use several
 * versions.
 */
export interface ApplyVersions {
  /**
   * Returns the schema of a version, or undefined for a version that is not served. Entries in managedFields for such a version are
   * dropped.
   */
  schema(apiVersion: string): StructuralSchema | undefined;
  convert<T extends ApplyObject>(object: T, apiVersion: string): T;
}

export interface OwnershipOptions {
  /** The API version of the request and of the objects. */
  readonly apiVersion: string;
  /** The schema of the kind, if it has one. Without a schema, types are deduced from the values, and lists are atomic. */
  readonly schema: StructuralSchema | undefined;
  readonly manager: string;
  /** The time of the request, in RFC 3339 with whole seconds. */
  readonly time: string;
  /** The subresource (`status`, `scale`, …); undefined for the object itself. */
  readonly subresource?: string;
  /** The fields that this write cannot change: `status`, or `spec` and `metadata.labels` on the status subresource. */
  readonly resetFields?: readonly string[];
  readonly versions?: ApplyVersions;
}

export interface ApplyOptions<T extends ApplyObject> extends OwnershipOptions {
  /** The stored object; undefined if the apply creates it. */
  readonly live?: T;
  readonly applied: ApplyObject;
  /** The kind of the request. Defaults to the kind of the live object. */
  readonly kind?: string;
  readonly force?: boolean;
}

export type ApplyResult<T extends ApplyObject> =
  /**
   * The result of an apply. `object` includes its managedFields. `changed` is true if the object or its field owners differ from the live
   * object.
   */
  | { readonly conflict?: never; readonly object: T; readonly managedFields: readonly ManagedFieldsEntry[]; readonly changed: boolean }
  | { readonly conflict: ApiError };

/** Performs a server-side apply as structured-merge-diff defines it. Throws an ApiError for an object that cannot be applied. */
export function applyObject<T extends ApplyObject>(options: ApplyOptions<T>): ApplyResult<T> {
  const { applied, apiVersion, force = false } = options;
  checkApplied(options);
  const live = options.live ?? ({ apiVersion, ...(applied.kind === undefined ? {} : { kind: applied.kind }) } as T);
  const versions = versionsOf(options);
  const bare = withManagedFields(live, undefined);
  const self = {
    name: options.manager || 'unknown',
    operation: 'Apply',
    apiVersion,
    subresource: options.subresource ?? '',
    time: options.time,
  } as const;
  const id = managerId(self);
  const before = liveManagers(live, bare, versions, options);
  const attempt = (forced: boolean): ReturnType<typeof afterApply> => afterApply(versions, bare, applied, before, self, id, forced);
  let outcome = attempt(force);
  if ('conflicts' in outcome && options.manager === 'kubectl') {
    const remaining = overLastApplied(outcome.conflicts, bare, versions);
    if (remaining.size === 0) outcome = attempt(true);
    else outcome = { ...outcome, conflicts: remaining };
  }
  if ('conflicts' in outcome) return { conflict: conflictError(outcome.conflicts, outcome.managers) };

  const managers = outcome.changed ? outcome.managers : withTimeOf(before, outcome.managers, id);
  const managedFields = encodeManagers(managers);
  const object = options.manager === 'kubectl' ? withLastApplied(outcome.object as T, applied) : (outcome.object as T);
  const changed = outcome.changed || !deepEqual(managedFields, live.metadata?.managedFields ?? []);
  return { object: withManagedFields(object, managedFields), managedFields, changed };
}

/** Returns the managedFields after a create, update or patch, or undefined if the object is not tracked. */
export function trackUpdate<T extends ApplyObject>(
  options: OwnershipOptions & { readonly live?: T; readonly next: T },
): readonly ManagedFieldsEntry[] | undefined {
  const { apiVersion, next } = options;
  assertDepth(changedMembers(options.live ?? {}, next));
  const live = options.live ?? ({ apiVersion, ...(next.kind === undefined ? {} : { kind: next.kind }) } as T);
  const managers = claimedManagers(live, next, options.subresource !== undefined && options.subresource !== '');
  // An object stored without managedFields is not tracked until a client applies it.
  if (managers.size === 0 && options.live?.metadata?.uid) return undefined;
  const self = {
    name: options.manager || 'unknown',
    operation: 'Update',
    apiVersion,
    subresource: options.subresource ?? '',
    time: options.time,
  } as const;
  const versions = versionsOf(options);
  const after = afterUpdate(
    versions,
    withManagedFields(live, undefined),
    withManagedFields(next, undefined),
    managers,
    self,
    managerId(self),
  );
  return after.size === 0 ? undefined : encodeManagers(capped(after));
}

/**
 * Returns the members that a write changed. Only the depth of these members must be checked, because the depth of the others was checked
 * when they were written.
 */
function changedMembers(live: ApplyObject, next: ApplyObject): object {
  const before: Readonly<Record<string, unknown>> = { ...live };
  return Object.fromEntries(Object.entries(next).filter(([name, value]) => before[name] !== value));
}

function checkApplied<T extends ApplyObject>({ applied, apiVersion, kind, live, schema }: ApplyOptions<T>): void {
  assertDepth(applied);
  const wanted = kind ?? live?.kind ?? applied.kind;
  if (applied.apiVersion !== apiVersion || applied.kind !== wanted)
    throw new ApiError('BadRequest', `invalid object type: ${typeNameOf(applied)}`);
  if (applied.metadata?.managedFields) throw new ApiError('BadRequest', 'metadata.managedFields must be nil');
  const problems = typeProblems(objectType(schema), applied, false);
  if (problems.length > 0) throw new ApiError('Unknown', `failed to create typed patch object (${named(applied)}): ${list(problems)}`);
  const liveProblems = live ? typeProblems(objectType(schema), withManagedFields(live, undefined), true) : [];
  if (live && liveProblems.length > 0)
    throw new ApiError('Unknown', `failed to create typed live object (${named(live)}): ${list(liveProblems)}`);
}

function list(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : ['errors:', ...problems.map((problem) => `  ${problem}`)].join('\n');
}

function named(object: ApplyObject): string {
  return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}; ${typeNameOf(object)}`;
}

/** Returns the type name as messages show it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function typeNameOf({ apiVersion = '', kind = '' }: ApplyObject): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function versionsOf({ apiVersion, schema, versions, resetFields }: OwnershipOptions): Versions {
  const reset = resetFields?.length
    ? FieldSet.of(...resetFields.map((path) => path.split('.').map((name) => `f:${name}` as const)))
    : undefined;
  return {
    current: apiVersion,
    typeOf(version) {
      if (version === apiVersion) return objectType(schema);
      const other = versions?.schema(version);
      return other && objectType(other);
    },
    convert(object, version) {
      const typed = object as ApplyObject | null;
      if (typed === null || typed.apiVersion === version || versions === undefined)
        return typed?.apiVersion === version ? typed : undefined;
      return version === apiVersion || versions.schema(version) ? versions.convert(typed, version) : undefined;
    },
    resetFields: (version) => (version === apiVersion ? reset : undefined),
  };
}

/** Returns the field managers of the live object. All fields of an untracked object belong to the manager `before-first-apply`. */
function liveManagers<T extends ApplyObject>(live: T, bare: T, versions: Versions, options: ApplyOptions<T>): Managers {
  const managers = decodeLive(live);
  if (managers.size > 0) return managers;
  const self: Omit<Manager, 'fields'> = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? '',
    time: options.time,
  };
  const empty = { apiVersion: options.apiVersion, ...(options.applied.kind === undefined ? {} : { kind: options.applied.kind }) };
  return afterUpdate(versions, empty, bare, managers, self, managerId(self));
}

function decodeLive(live: ApplyObject): Managers {
  try {
    return decodeManagers(live.metadata?.managedFields ?? []);
  } catch (error) {
    throw new ApiError('Unknown', `failed to decode managed fields: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Returns the field managers before the update. A writer may set managedFields, or reset them with an empty list. If the written object has
 * no managedFields, or its managedFields cannot be decoded, the field managers of the stored object are kept.
 */
function claimedManagers(live: ApplyObject, next: ApplyObject, isSubresource: boolean): Managers {
  const stored = readable(live.metadata?.managedFields ?? []) ?? new Map<string, Manager>();
  const claimed = next.metadata?.managedFields;
  if (isSubresource || claimed === undefined || claimed === live.metadata?.managedFields) return stored;
  const [first] = claimed;
  if (first === undefined || (claimed.length === 1 && Object.keys(first).length === 0)) return new Map();
  const managers = readable(claimed);
  return managers && managers.size > 0 ? managers : stored;
}

function readable(entries: readonly ManagedFieldsEntry[]): Managers | undefined {
  try {
    return decodeManagers(entries);
  } catch {
    return undefined; // Replace managedFields that cannot be decoded, so that they never make a write fail.
  }
}

/** Keeps the old time of a field manager whose apply changed nothing. */
function withTimeOf(before: Managers, after: Managers, id: string): Managers {
  const self = after.get(id);
  const previous = before.get(id);
  return self ? new Map(after).set(id, { ...self, time: previous?.time }) : after;
}

function withManagedFields<T extends ApplyObject>(object: T, managedFields: readonly ManagedFieldsEntry[] | undefined): T {
  if (object.metadata === undefined && managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata: managedFields?.length ? { ...metadata, managedFields } : metadata };
}
