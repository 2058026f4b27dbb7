import { isJsonObject, type JsonMap, objectOrEmpty } from '../json.js';
import { deepEqual } from './equal.js';
import { MAX_DEPTH, setOwn, tooDeep } from './own.js';

/**
 * Applies a merge patch (RFC 7386): members of the patch replace members of the target, null removes a member, and objects are merged. The
 * arguments are not modified. Unchanged parts are shared, and the target itself is returned if the patch changes nothing.
 */
export function mergePatch<T = unknown>(target: unknown, patch: unknown): T {
  return merged(target, patch, 0) as T;
}

function merged(target: unknown, patch: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (!isJsonObject(patch)) return deepEqual(target, patch) ? target : patch;
  const base: JsonMap = objectOrEmpty(target);
  let out: Record<string, unknown> | undefined = isJsonObject(target) ? undefined : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    const after = change === null ? undefined : merged(before, change, depth + 1);
    if (after === before && (after !== undefined || !Object.hasOwn(base, key))) continue;
    out ??= { ...base };
    if (after === undefined) delete out[key];
    else setOwn(out, key, after);
  }
  return out ?? target;
}

/**
 * Returns the smallest merge patch that turns `from` into `to`. A null inside `to` cannot be expressed (it would mean a removal) and is
 * omitted.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isJsonObject(from) || !isJsonObject(to)) return withoutNulls(to, 0);
  return difference(from, to, 0) ?? {};
}

function difference(from: JsonMap, to: JsonMap, depth: number): Record<string, unknown> | undefined {
  if (depth > MAX_DEPTH) throw tooDeep();
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(to)) {
    const after = to[key];
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (after === before || after === null || after === undefined) continue;
    if (!isJsonObject(after)) {
      if (!deepEqual(before, after)) setOwn(patch, key, after);
      continue;
    }
    const inner = isJsonObject(before) ? difference(before, after, depth + 1) : withoutNulls(after, depth + 1);
    if (inner !== undefined) setOwn(patch, key, inner);
  }
  for (const key of Object.keys(from)) {
    const isGone = !Object.hasOwn(to, key) || to[key] === undefined || to[key] === null;
    if (isGone && from[key] !== undefined && from[key] !== null) setOwn(patch, key, null);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Removes null members. Nulls inside lists are kept, because in a merge patch they are data. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (!isJsonObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== null && member !== undefined) setOwn(out, key, withoutNulls(member, depth + 1));
  }
  return out;
}
