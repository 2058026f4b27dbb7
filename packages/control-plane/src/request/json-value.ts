import { ApiError, isJsonObject } from '@outrigger/core';

const MAX_DEPTH = 1000;

/** Refuses what recursion could not walk safely. Counts with a stack of its own. */
export function assertDepth(value: unknown): void {
  const pending: [unknown, number][] = [[value, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [part, depth] = next;
    if (typeof part !== 'object' || part === null) continue;
    if (depth > MAX_DEPTH) throw new ApiError('BadRequest', `the object is nested deeper than ${MAX_DEPTH} levels`);
    for (const child of Object.values(part)) if (typeof child === 'object' && child !== null) pending.push([child, depth + 1]);
  }
}

/** A copy that shares nothing; members that are undefined are left out, as JSON would. `__proto__` stays an ordinary member. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    if (key === '__proto__') Object.defineProperty(copy, key, { value: cloneJson(member), writable: true, enumerable: true, configurable: true });
    else copy[key] = cloneJson(member);
  }
  return copy as T;
}
