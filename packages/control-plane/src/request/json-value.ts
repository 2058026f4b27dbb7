import { isJsonObject, setOwn } from '@outrigger/core';

/** Returns a deep copy. Undefined members are omitted, as in JSON, and `__proto__` remains an ordinary member. */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item)) as T;
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setOwn(copy, key, cloneJson(member));
  }
  return copy as T;
}
