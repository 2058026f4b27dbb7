import { deepEqual } from '../patch/equal.js';
import { getOwn } from '../patch/own.js';
import { isJsonObject } from '../json.js';
import type { StructuralSchema } from './types.js';

/** Finds the old item with the same keys as a new one in a list of type map. */
export type OldItemOf = (item: unknown) => unknown;

const NONE: OldItemOf = () => undefined;

/**
 * Returns a function from an old list to an `OldItemOf`, which finds the old value of each new item by key. Returns undefined unless the
 * list is of type map, because items of other lists are not matched.
 */
export function itemCorrelation(schema: StructuralSchema): ((old: unknown) => OldItemOf) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return undefined;
  return (old) => {
    if (!Array.isArray(old) || old.length === 0) return NONE;
    let index: Map<string, unknown> | undefined;
    return (item) => {
      index ??= indexByKey(old, keys);
      const key = itemKey(item, keys);
      return key === undefined ? undefined : index.get(key);
    };
  };
}

function indexByKey(items: readonly unknown[], keys: readonly string[]): Map<string, unknown> {
  const index = new Map<string, unknown>();
  for (const item of items) {
    const key = itemKey(item, keys);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return index;
}

/** Returns the values of all keys in one string, or undefined if a value is absent or not a scalar. */
function itemKey(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => getOwn(item, key));
  if (values.some((value) => value === undefined || value === null || typeof value === 'object')) return undefined;
  return JSON.stringify(values);
}

/**
 * Whether an update left a value unchanged. Items of lists of type map are compared by their keys, so reordering them is not a change. An
 * item without its keys is always treated as changed, even if old and new are the same list.
 */
export function isUnchanged(schema: StructuralSchema | undefined, value: unknown, old: unknown): boolean {
  if (schema === undefined || !hasMapList(schema)) return deepEqual(value, old);
  if (Array.isArray(value) && Array.isArray(old)) return sameList(schema, value, old);
  if (isJsonObject(value) && isJsonObject(old)) return sameObject(schema, value, old);
  return value === old;
}

function sameList(schema: StructuralSchema, value: readonly unknown[], old: readonly unknown[]): boolean {
  if (value.length !== old.length) return false;
  const oldItemOf = itemCorrelation(schema)?.(old);
  if (!oldItemOf) return deepEqual(value, old);
  return value.every((item) => {
    const oldItem = oldItemOf(item);
    return oldItem !== undefined && isUnchanged(schema.items, item, oldItem);
  });
}

function sameObject(schema: StructuralSchema, value: Readonly<Record<string, unknown>>, old: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => Object.hasOwn(old, key) && isUnchanged(schemaOf(schema, key), value[key], old[key]));
}

/** Returns the schema of a member: that of its property if it is declared, otherwise `additionalProperties`. */
export function schemaOf(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const mapLists = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema contains a list of type map at any depth. */
export function hasMapList(schema: StructuralSchema): boolean {
  const known = mapLists.get(schema);
  if (known !== undefined) return known;
  const inside = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    schema['x-kubernetes-list-type'] === 'map' || inside.some((part) => typeof part === 'object' && part !== null && hasMapList(part));
  mapLists.set(schema, found);
  return found;
}
