import { ApiError } from '../errors.js';

/** The maximum nesting depth. No Kubernetes object is nested this deeply, and recursion up to this depth does not overflow the stack. */
export const MAX_DEPTH = 1000;

export function tooDeep(): ApiError {
  return new ApiError('BadRequest', `the object is nested deeper than ${MAX_DEPTH} levels; flatten it or store the inner part as a string`);
}

/**
 * Throws a BadRequest if `value` is nested deeper than `MAX_DEPTH`. Must be called for values from outside, before any recursive
 * processing.
 */
export function assertDepth(value: unknown): void {
  if (typeof value === 'object' && value !== null) descend(value as Container, 0);
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

function descend(container: Container, depth: number): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(container)) {
    for (const item of container) if (typeof item === 'object' && item !== null) descend(item as Container, depth + 1);
    return;
  }
  const map = container as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(map)) {
    const member = map[key];
    if (typeof member === 'object' && member !== null) descend(member as Container, depth + 1);
  }
}

/** Sets a member as data. Plain assignment would change the prototype if a field is named `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** Returns the value of the object's own member `key`; undefined for inherited members such as `constructor`. */
export function getOwn(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
