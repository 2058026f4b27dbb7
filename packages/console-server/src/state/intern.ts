import type { Intern } from '@outrigger/core';

/**
 * Maximum number of values in the intern table, more than a healthy fleet needs. A full table is replaced by an empty one. This costs only
 * memory, because equal values may then be stored twice.
 */
const MOST_VALUES = 50_000;

/** Returns a function that returns one shared object for all values with the same JSON text. */
export function createIntern(): Intern {
  let known = new Map<string, unknown>();
  return <T>(value: T): T => {
    const text = JSON.stringify(value);
    const found = known.get(text);
    if (found !== undefined) return found as T;
    if (known.size >= MOST_VALUES) known = new Map();
    known.set(text, value);
    return value;
  };
}
