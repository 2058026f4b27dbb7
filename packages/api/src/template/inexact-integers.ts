import { fieldPath } from './strings.js';

/** An integer of this size or more does not fit in 64 bits, so a Kubernetes API server also reads it as a float. */
const BEYOND_64_BITS = 2 ** 63;

/**
 * Returns the path of an integer of 64 bits that this process may not have read exactly, because JavaScript represents only integers up to
 * 2^53 exactly. An API server stores such an integer exactly, so writing the value again would change it.
 */
export function inexactInteger(value: unknown, path = ''): string | undefined {
  const pending: { readonly value: unknown; readonly path: string }[] = [{ value, path }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: current, path: here } = next;
    if (typeof current === 'number') {
      if (Number.isInteger(current) && !Number.isSafeInteger(current) && Math.abs(current) <= BEYOND_64_BITS) return here;
    } else if (Array.isArray(current)) {
      for (let i = current.length - 1; i >= 0; i--) pending.push({ value: current[i], path: `${here}[${i}]` });
    } else if (typeof current === 'object' && current !== null) {
      for (const [key, member] of Object.entries(current).reverse()) pending.push({ value: member, path: fieldPath(here, key) });
    }
  }
  return undefined;
}
