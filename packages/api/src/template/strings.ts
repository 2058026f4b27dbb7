/** A string inside a value, with its path. Keys of objects are included. */
export interface TextInside {
  readonly path: string;
  readonly text: string;
}

/** Yields every string in a value, including keys. It uses an explicit stack, so that deep nesting does not overflow the call stack. */
export function* textsInside(value: unknown, path: string): Generator<TextInside> {
  const pending: { readonly value: unknown; readonly path: string }[] = [{ value, path }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: current, path: here } = next;
    if (typeof current === 'string') {
      yield { path: here, text: current };
    } else if (Array.isArray(current)) {
      for (let i = current.length - 1; i >= 0; i--) pending.push({ value: current[i], path: `${here}[${i}]` });
    } else if (typeof current === 'object' && current !== null) {
      for (const [key, member] of Object.entries(current)) {
        const there = fieldPath(here, key);
        yield { path: there, text: key };
        pending.push({ value: member, path: there });
      }
    }
  }
}

/**
 * Returns the path at which a value is nested deeper than `limit` levels, or undefined if there is none. Deeper levels are not searched.
 */
export function tooDeep(value: unknown, limit: number): string | undefined {
  const pending: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [{ value, path: '', depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: current, path, depth } = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth >= limit) return path;
    for (const [key, member] of Object.entries(current)) {
      if (typeof member !== 'object' || member === null) continue;
      pending.push({ value: member, path: Array.isArray(current) ? `${path}[${key}]` : fieldPath(path, key), depth: depth + 1 });
    }
  }
  return undefined;
}

/** Returns the path of a member: `a.b` for plain names, `a[b.c/d]` for other keys. */
export function fieldPath(parent: string, key: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${parent}[${key}]`;
  return parent === '' ? key : `${parent}.${key}`;
}
