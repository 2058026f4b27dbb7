import { ApiError } from '../errors.js';

/** Nesting beyond this is refused: no Kubernetes object comes near it, and recursion stays far from the end of the stack. */
export const MAX_DEPTH = 1000;

export function tooDeep(): ApiError {
  return new ApiError('BadRequest', `the object is nested deeper than ${MAX_DEPTH} levels; flatten it or store the inner part as a string`);
}

/** Throws a BadRequest when `value` is nested deeper than `MAX_DEPTH`. For values that come from outside, before anything recurses. */
export function assertDepth(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw tooDeep();
    const next: unknown[] = [];
    for (const part of level) {
      if (typeof part !== 'object' || part === null) continue;
      for (const member of Object.values(part)) if (typeof member === 'object' && member !== null) next.push(member);
    }
    level = next;
  }
}

/** Sets a member as data. Plain assignment would change the prototype when a person names a field `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** The member named `key` if it is the object's own (`constructor` and friends are not), else undefined. */
export function getOwn(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
