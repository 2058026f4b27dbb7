import type { Intern } from '@outrigger/core';

/**
 * Maximum size of the intern table, which is more than a healthy fleet needs. When it is exceeded, the table is cleared, which only costs
 * memory for duplicate values.
 */
const MOST_VALUES = 50_000;

/** Finds equal values by their JSON text. */
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
