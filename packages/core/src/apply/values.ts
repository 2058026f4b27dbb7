import { isJsonObject } from '../json.js';
import type { ObjectMeta } from '../meta.js';
import type { ListMerge, MapMerge, MergeType } from './object-type.js';
import { keyElement, type PathElement, valueElement } from './path-element.js';

/** Any API object. The schema describes its fields other than metadata. */
export interface ApplyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** A value; `undefined` means that it is absent, while null is a value. */
export type Value = unknown;

export type Shape = 'map' | 'scalar' | 'list';

/**
 * Returns the shape of a value if the type allows that shape. For any other value, and for null, returns the first shape that the type
 * allows.
 */
export function shapeOf(type: MergeType, value: Value): Shape | undefined {
  if (Array.isArray(value)) {
    if (type.list) return 'list';
  } else if (typeof value === 'object' && value !== null) {
    if (type.map) return 'map';
  } else if (value !== null && value !== undefined && type.scalar) return 'scalar';
  return type.map ? 'map' : type.scalar ? 'scalar' : type.list ? 'list' : undefined;
}

/** Returns the shapes (list, map, scalar) of two values of one field, or a single shape if both values have the same shape. */
export function shapesOf(type: MergeType, left: Value, right: Value): readonly (Shape | undefined)[] {
  if (right === undefined) return [shapeOf(type, left)];
  const shape = shapeOf(type, right);
  if (left === undefined) return [shape];
  const leftShape = shapeOf(type, left);
  return leftShape === shape ? [shape] : [leftShape, shape];
}

export function asMap(value: Value): Readonly<Record<string, unknown>> | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asList(value: Value): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function memberType(map: MapMerge, name: string): MergeType {
  return map.fields.get(name) ?? map.other ?? {};
}

/** An error about the shape of a value. The message does not contain the path of the value. */
export class ItemError extends Error {}

/** Returns the identity of an item of a granular list. Throws an ItemError for an item without an identity. */
export function itemElement(list: ListMerge, item: Value): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListMerge, item: Value): PathElement {
  if (item === null) throw new ItemError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new ItemError('associative list with keys may not have non-map elements');
  const keys: Record<string, unknown> = {};
  let found = 0;
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : list.defaults.get(name);
    if (value === undefined) continue;
    keys[name] = value;
    found++;
  }
  if (found > 0) return keyElement(keys);
  const names = `[${list.keys.map((name) => JSON.stringify(name)).join(' ')}]`;
  throw new ItemError(
    `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: Value): PathElement {
  if (item === null) throw new ItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Returns the identity of a list item in values that are already validated. An item without key fields is identified by its value. */
export function itemElementOrText(list: ListMerge, item: Value): PathElement {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof ItemError) return valueElement(item);
    throw error;
  }
}
