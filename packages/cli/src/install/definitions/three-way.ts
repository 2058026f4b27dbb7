import { type Json, type JsonObject, deepEqual, isJsonObject } from '@outrigger/core';

/**
 * Reverts the change from `before` to `after` in a value that other clients may have changed since. Returns `current`, but with `before` in
 * each part that still equals `after`, so later changes by other clients stay. Lists are compared as a whole unless their items have names
 * (`versions`, printer columns) or are plain values (`enum`, `required`, short names).
 */
export function takeBack(before: Json | undefined, after: Json | undefined, current: Json | undefined): Json | undefined {
  if (deepEqual(current, after)) return before;
  if (deepEqual(before, after)) return current;
  if (isJsonObject(before) && isJsonObject(after) && isJsonObject(current)) return takeBackObject(before, after, current);
  if (isNamedList(before) && isNamedList(after) && isNamedList(current)) return takeBackNamed(before, after, current);
  if (isPlainList(before) && isPlainList(after) && isPlainList(current)) {
    const isAdded = (value: Json): boolean => after.includes(value) && !before.includes(value);
    const removed = before.filter((value) => !after.includes(value) && !current.includes(value));
    return [...current.filter((value) => !isAdded(value)), ...removed];
  }
  return current;
}

function takeBackObject(before: JsonObject, after: JsonObject, current: JsonObject): JsonObject {
  const keys = [...new Set([...Object.keys(current), ...Object.keys(before)])];
  const entries = keys.map((key) => [key, takeBack(before[key], after[key], current[key])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

type Named = JsonObject & { readonly name: string };

function takeBackNamed(before: readonly Named[], after: readonly Named[], current: readonly Named[]): readonly Json[] {
  const named = (list: readonly Named[], name: string): Named | undefined => list.find((item) => item.name === name);
  const names = [...new Set([...before, ...current].map(({ name }) => name))];
  return names
    .map((name) => takeBack(named(before, name), named(after, name), named(current, name)))
    .filter((item): item is Json => item !== undefined);
}

function isNamedList(value: Json | undefined): value is readonly Named[] {
  return Array.isArray(value) && value.length > 0 && value.every((item: Json) => isJsonObject(item) && typeof item['name'] === 'string');
}

function isPlainList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.every((item: Json) => typeof item !== 'object');
}
