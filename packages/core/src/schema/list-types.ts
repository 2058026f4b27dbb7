import { isJsonObject } from '../json.js';
import { getOwn } from '../patch/own.js';
import { fieldError } from './field-error.js';
import { goJson } from './go-format.js';
import { fieldPath, type Run } from './run.js';
import type { StructuralSchema } from './types.js';

type ListCheck = (list: readonly unknown[], run: Run) => void;

/** No item twice in a set; no two items with the same keys in a list of type map. The second of equal items is reported, once. */
export function uniquenessCheck(schema: StructuralSchema): ListCheck | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (list, run) => reportDuplicates(list, (i) => list[i], run);
    case 'map':
      return (list, run) => {
        const misfit = list.findIndex((item) => item !== null && !isJsonObject(item));
        if (misfit >= 0) reportMisfit(run, misfit, list[misfit]);
        else reportDuplicates(list, (i) => keysOf(list[i], keys), run);
      };
    default:
      return undefined;
  }
}

function keysOf(item: unknown, keys: readonly string[]): unknown {
  const own = isJsonObject(item) ? item : {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(own, key)).map((key) => [key, getOwn(own, key)]));
}

function reportDuplicates(list: readonly unknown[], identityAt: (index: number) => unknown, run: Run): void {
  if (list.length < 2) return;
  const seen = new Map<unknown, number>();
  for (let i = 0; i < list.length; i++) {
    const identity = identityAt(i);
    const key = typeof identity === 'object' && identity !== null ? `json:${goJson(identity)}` : scalarKey(identity);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) run.listErrors.push(fieldError.duplicate(fieldPath([...run.path, i]), identity));
  }
}

/** Apart from the text of objects and lists, which share the map. */
function scalarKey(value: unknown): unknown {
  return typeof value === 'string' ? `text:${value}` : value;
}

function reportMisfit(run: Run, index: number, item: unknown): void {
  run.listErrors.push(fieldError.invalid(fieldPath([...run.path, index]), item, 'must be an object for an array of list-type map'));
}
