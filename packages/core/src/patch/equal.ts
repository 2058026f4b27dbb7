/**
 * Whether two JSON values are equal. Key order does not matter, `undefined` members are treated as absent, and `0` equals `-0`. Values may
 * have any depth, because the comparison uses an explicit stack instead of recursion.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!bothObjects(left, right)) return false;
  const pending: unknown[] = [left, right];
  while (pending.length > 0) {
    const b = pending.pop() as Container;
    const a = pending.pop() as Container;
    if (!sameMembers(a, b, pending)) return false;
  }
  return true;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

function bothObjects(left: unknown, right: unknown): boolean {
  return typeof left === 'object' && typeof right === 'object' && left !== null && right !== null;
}

/** Compares one level. Pairs of distinct containers are added to `pending`. */
function sameMembers(a: Container, b: Container, pending: unknown[]): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b, pending);
  return !Array.isArray(b) && sameEntries(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>, pending);
}

function sameItems(a: readonly unknown[], b: readonly unknown[], pending: unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameOrPending(a[i], b[i], pending)) return false;
  return true;
}

function sameEntries(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, pending: unknown[]): boolean {
  let present = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    present++;
    if (!Object.hasOwn(b, key) || !sameOrPending(value, b[key], pending)) return false;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--;
  return present === 0;
}

function sameOrPending(left: unknown, right: unknown, pending: unknown[]): boolean {
  if (left === right) return true;
  if (!bothObjects(left, right)) return false;
  pending.push(left, right);
  return true;
}

/** Freezes a JSON value deeply. A frozen part is assumed to be frozen deeply, so that shared parts are not visited again. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) pending.push(member);
  }
  return value;
}
