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

/**
 * Replaces lone surrogates with U+FFFD, in values and in names of members, as a Kubernetes API server does. JSON can escape a lone
 * surrogate (`"\\ud800"`), but UTF-8 cannot encode it, so a digest would not distinguish it from U+FFFD.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, wellFormed(key) as string, wellFormed(value[key]));
  return copy;
}
