import { sha256 } from './adapters/sha256.js';
import type { Stored } from './log.js';

const digests = new WeakMap<object, string>();

/** The digest of a config's spec: SHA-256 of the spec as JSON with sorted keys. */
export function specHash(object: Stored): string {
  const known = digests.get(object);
  if (known !== undefined) return known;
  const digest = sha256(sorted({ spec: object.spec }));
  digests.set(object, digest);
  return digest;
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${sorted(field)}`).join(',')}}`;
}

/** Whether two JSON values are equal. An undefined field counts as absent. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  }
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  for (const name in left) if (!equal(left[name], right[name])) return false;
  for (const name in right) if (left[name] === undefined && right[name] !== undefined) return false;
  return true;
}
