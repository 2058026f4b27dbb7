import { isJsonObject, objectOrEmpty } from '../json.js';
import { getOwn } from '../patch/own.js';
import { fieldError } from './field-error.js';
import { goJson } from './go-format.js';
import { fieldPath, type Run } from './run.js';
import type { StructuralSchema } from './types.js';

type ListCheck = (list: readonly unknown[], run: Run) => void;

/**
 * Checks that a set contains no item twice, and that no two items of a list of type map have the same keys. If several items are equal,
 * only the second one is reported.
 */
export function uniquenessCheck(schema: StructuralSchema): ListCheck | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const [onlyKey] = keys;
  const identityOf =
    onlyKey !== undefined && keys.length === 1
      ? (item: unknown): unknown => identity(isJsonObject(item) && Object.hasOwn(item, onlyKey) ? item[onlyKey] : {})
      : (item: unknown): unknown => identity(keysOf(item, keys));
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (list, run) => reportDuplicates(list, identity, (item) => item, run);
    case 'map':
      return (list, run) => {
        const misfit = list.findIndex((item) => item !== null && !isJsonObject(item));
        if (misfit >= 0) reportMisfit(run, misfit, list[misfit]);
        else reportDuplicates(list, identityOf, (item) => keysOf(item, keys), run);
      };
    default:
      return undefined;
  }
}

function keysOf(item: unknown, keys: readonly string[]): unknown {
  const own = objectOrEmpty(item);
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(own, key)).map((key) => [key, getOwn(own, key)]));
}

/** Reports duplicates. `identityOf` returns equal values for equal items. `shown` returns the text that an error shows for an item. */
function reportDuplicates(
  list: readonly unknown[],
  identityOf: (item: unknown) => unknown,
  shown: (item: unknown) => unknown,
  run: Run,
): void {
  if (list.length < 2) return;
  const seen = new Map<unknown, number>();
  for (let i = 0; i < list.length; i++) {
    const key = identityOf(list[i]);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) run.listErrors.push(fieldError.duplicate(fieldPath([...run.path, i]), shown(list[i])));
  }
}

/** Returns a value that is equal for equal JSON. Prefixes distinguish strings from objects and lists. */
function identity(value: unknown): unknown {
  if (typeof value === 'string') return `text:${value}`;
  return typeof value === 'object' && value !== null ? `json:${goJson(value)}` : value;
}

function reportMisfit(run: Run, index: number, item: unknown): void {
  run.listErrors.push(fieldError.invalid(fieldPath([...run.path, index]), item, 'must be an object for an array of list-type map'));
}
