import { isJsonObject } from '@outrigger/core';

/** One step into an object. `where` selects the list elements whose member at `path` has the given value. */
export type FieldStep =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'every' }
  | { readonly type: 'where'; readonly path: readonly string[]; readonly value: unknown };

export type FieldPath = readonly FieldStep[];

/** Returns a copy of `value` without the fields that the path selects, or `value` itself if the first step selects nothing. */
export function removeAt(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) return fromList(value, step, rest);
  if (!isJsonObject(value)) return value;
  const names = step.type === 'field' ? [step.name] : step.type === 'every' ? Object.keys(value) : [];
  const present = names.filter((name) => Object.hasOwn(value, name));
  if (present.length === 0) return value;
  const entries = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (!present.includes(name)) return [[name, member]];
    return rest.length === 0 ? [] : [[name, removeAt(member, rest)]];
  });
  return Object.fromEntries(entries);
}

function fromList(list: readonly unknown[], step: FieldStep, rest: FieldPath): unknown {
  return list.flatMap((item, index) => {
    if (!isMeant(step, item, index, list.length)) return [item];
    return rest.length === 0 ? [] : [removeAt(item, rest)];
  });
}

/** Whether a step selects this element of a list with `length` elements. */
export function isMeant(step: FieldStep, item: unknown, index: number, length: number): boolean {
  switch (step.type) {
    case 'every':
      return true;
    case 'index':
      return index === (step.index < 0 ? step.index + length : step.index);
    case 'where':
      return memberAt(item, step.path) === step.value;
    case 'field':
      return String(index) === step.name; // The syntax of JSON pointers does not distinguish positions from names.
  }
}

/** Returns the value at a path of member names. */
export function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}
