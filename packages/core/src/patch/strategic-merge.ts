import { ApiError } from '../errors.js';
import { refused } from './json-patch.js';
import { isJsonObject, type JsonMap, objectOrEmpty } from '../json.js';
import { goValue } from '../schema/go-format.js';
import type { StructuralSchema } from '../schema/types.js';
import { getOwn, MAX_DEPTH, setOwn, tooDeep } from './own.js';
import { elementOrder, identityOf, inOrder } from './strategic-order.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const SET_ORDER = '$setElementOrder';

/**
 * Applies a strategic merge patch. It is like a merge patch, but lists that the schema marks with the patch strategy `merge` are merged
 * item by item, matched by their merge key, and directives in the patch delete, replace or order items. Neither argument is changed.
 */
export function strategicMergePatch<T = unknown>(target: unknown, patch: unknown, schema: StructuralSchema | undefined): T {
  if (!isJsonObject(patch)) throw badPatch('strategic merge patch format is not supported');
  return mergeMap(objectOrEmpty(target), patch, schema, 0) as T;
}

function badPatch(problem: string): ApiError {
  return new ApiError('BadRequest', problem);
}

function mergeMap(original: JsonMap, patch: JsonMap, schema: StructuralSchema | undefined, depth: number): JsonMap {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Object.hasOwn(patch, DIRECTIVE)) return directed(patch);
  const out: Record<string, unknown> = retained(original, patch);
  const ordered = applyOrders(out, patch, schema, depth);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(SET_ORDER) || ordered.has(key)) continue;
    if (key.startsWith(DELETE_FROM_LIST)) deleteFromList(out, listNamed(key, DELETE_FROM_LIST, 'primitive list'), patch[key]);
    else mergeMember(out, key, patch[key], memberSchema(schema, key), depth);
  }
  return out;
}

function directed(patch: JsonMap): JsonMap {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new ApiError('Unknown', `unknown patch type: ${String(directive)} in map: ${goValue(patch)}`);
}

/** Returns a copy of the original without the members that `$retainKeys` does not name. */
function retained(original: JsonMap, patch: JsonMap): Record<string, unknown> {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original };
  const names = patch[RETAIN_KEYS];
  if (!Array.isArray(names)) throw badPatch('invalid patch format of retainKeys');
  const kept = new Set<unknown>(names);
  const isStray = (key: string): boolean =>
    key !== RETAIN_KEYS && patch[key] !== null && !key.startsWith(DELETE_FROM_LIST) && !key.startsWith(SET_ORDER) && !kept.has(key);
  if (Object.keys(patch).some(isStray)) throw badPatch('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

function mergeMember(
  out: Record<string, unknown>,
  key: string,
  change: unknown,
  schema: StructuralSchema | undefined,
  depth: number,
): void {
  const before = getOwn(out, key);
  if (change === undefined) return;
  if (change === null) {
    delete out[key];
    return;
  }
  const { strategy } = strategyOf(schema);
  let after: unknown;
  if (isJsonObject(before) && isJsonObject(change)) after = strategy === 'replace' ? change : mergeMap(before, change, schema, depth + 1);
  else if (Array.isArray(before) && Array.isArray(change))
    after = strategy === 'merge' ? mergeList(before, change, schema, depth + 1) : change;
  else after = plain(change, depth + 1);
  if (after === undefined) delete out[key];
  else setOwn(out, key, after);
}

function memberSchema(schema: StructuralSchema | undefined, key: string): StructuralSchema | undefined {
  if (schema?.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function strategyOf(schema: StructuralSchema | undefined): { strategy: string | undefined; mergeKey: string } {
  const strategies = (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',').filter((name) => name !== '' && name !== 'retainKeys');
  return { strategy: strategies[0], mergeKey: schema?.['x-kubernetes-patch-merge-key'] ?? '' };
}

/** Returns the data in a part of a patch, without nulls and directives, or undefined for an object that is a directive. */
function plain(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = member === null ? undefined : plain(member, depth + 1);
    if (kept !== undefined) setOwn(out, key, kept);
  }
  return out;
}

/** Returns the list that a directive names: `env` for `$setElementOrder/env`. */
function listNamed(key: string, directive: string, format: string): string {
  if (!key.startsWith(`${directive}/`)) throw badPatch(`invalid patch format of ${format}`);
  return key.slice(directive.length + 1);
}

function deleteFromList(out: Record<string, unknown>, key: string, toDelete: unknown): void {
  const list = getOwn(out, key);
  if (!Array.isArray(list) || !Array.isArray(toDelete)) return;
  const gone = new Set<unknown>(toDelete);
  setOwn(
    out,
    key,
    list.filter((item) => !gone.has(item)),
  );
}

function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  schema: StructuralSchema | undefined,
  depth: number,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!areMaps(original, patch)) return inOrder([...new Set([...original, ...patch])], patch, original, '');
  const { mergeKey } = strategyOf(schema);
  if (mergeKey === '') throw new ApiError('Unknown', 'cannot merge lists without merge key');
  const { remaining, changes } = withDirectives(original, patch, mergeKey);
  return inOrder(mergeItems(remaining, changes, mergeKey, schema?.items, depth), changes, remaining, mergeKey);
}

/** Whether all items are objects. Items must be all objects or all scalars; lists of lists cannot be merged. */
function areMaps(...lists: readonly (readonly unknown[])[]): boolean {
  const items = lists.flat(1);
  if (Array.isArray(items[0])) throw refused('lists of lists are not supported');
  const maps = items.filter(isJsonObject).length;
  if ((maps > 0 && maps < items.length) || items.some(Array.isArray))
    throw new ApiError('Unknown', `list element types are not identical: ${goValue(lists)}`);
  return maps > 0;
}

interface Directed {
  readonly remaining: readonly JsonMap[];
  readonly changes: readonly JsonMap[];
}

/** Executes `$patch: delete` and `$patch: replace` among the items of a patch. Returns the remaining items, which are merged. */
function withDirectives(original: readonly unknown[], patch: readonly unknown[], mergeKey: string): Directed {
  const changes: JsonMap[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch as readonly JsonMap[]) {
    const directive = getOwn(item, DIRECTIVE);
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deleted.add(identityOf(item, mergeKey));
    else if (directive === 'merge') throw new ApiError('Unknown', 'merging lists cannot yet be specified in the patch');
    else throw new ApiError('Unknown', `unknown patch type: ${String(directive)} in map: ${goValue(item)}`);
  }
  if (replaces) return { remaining: changes, changes: [] };
  return { remaining: (original as readonly JsonMap[]).filter((item) => !deleted.has(getOwn(item, mergeKey))), changes };
}

function mergeItems(
  original: readonly JsonMap[],
  changes: readonly JsonMap[],
  mergeKey: string,
  schema: StructuralSchema | undefined,
  depth: number,
): readonly unknown[] {
  const out: unknown[] = [...original];
  const places = new Map<unknown, number>();
  for (const [i, item] of original.entries()) if (!places.has(getOwn(item, mergeKey))) places.set(getOwn(item, mergeKey), i);
  for (const change of changes) {
    const key = identityOf(change, mergeKey);
    const place = places.get(key);
    if (place === undefined) places.set(key, out.push(plain(change, depth + 1)) - 1);
    else out[place] = mergeMap(out[place] as JsonMap, change, schema, depth + 1);
  }
  return out;
}

/** Merges and orders every list for which the patch has a `$setElementOrder`. Returns the names of those lists. */
function applyOrders(
  out: Record<string, unknown>,
  patch: JsonMap,
  schema: StructuralSchema | undefined,
  depth: number,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    const name = listNamed(key, SET_ORDER, 'setElementOrder list');
    const order = patch[key];
    const changes = getOwn(patch, name);
    const before = getOwn(out, name);
    if (!Array.isArray(order) || (changes !== undefined && !Array.isArray(changes)))
      throw badPatch('invalid patch format of setElementOrder list');
    done.add(name);
    const listSchema = memberSchema(schema, name);
    const { mergeKey } = strategyOf(listSchema);
    elementOrder(changes ?? [], order, mergeKey);
    if (changes !== undefined) mergeMember(out, name, changes, listSchema, depth);
    const merged = getOwn(out, name);
    if (Array.isArray(merged)) setOwn(out, name, inOrder(merged, order, Array.isArray(before) ? before : [], mergeKey));
  }
  return done;
}
