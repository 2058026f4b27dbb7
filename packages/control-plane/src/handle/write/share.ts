import type { KubeObject } from '@outrigger/core';
import { isFields, type Draft } from '../../registry/draft.js';

/**
 * Replaces parts of the draft with equal parts of the stored object. Later steps can then detect unchanged parts with `===`, and the store
 * keeps only one copy of these parts. The caller may still replace members of the draft and of its metadata, but must not change their
 * values in place.
 */
export function shareUnchanged(draft: Draft, old: KubeObject): void {
  shareMembers(draft.metadata, old.metadata);
  const stored: Readonly<Record<string, unknown>> = { ...old };
  for (const [name, value] of Object.entries(draft)) {
    if (name !== 'metadata' && Object.hasOwn(stored, name)) draft[name] = shared(value, stored[name]);
  }
}

/** Returns `old` if it equals `next`; otherwise `next`, with equal parts taken from `old`. */
function shared(next: unknown, old: unknown): unknown {
  if (next === old) return next;
  if (Array.isArray(next)) return Array.isArray(old) && shareItems(next, old) ? old : next;
  return isFields(next) && isFields(old) && shareMembers(next, old) ? old : next;
}

function shareItems(next: unknown[], old: readonly unknown[]): boolean {
  let isSame = next.length === old.length;
  const isPrivate = !Object.isFrozen(next);
  for (let i = 0; i < next.length; i++) {
    const item = shared(next[i], old[i]);
    if (isPrivate && item !== next[i]) next[i] = item;
    isSame &&= item === old[i];
  }
  return isSame;
}

function shareMembers(next: object, old: object): boolean {
  const target = next as Record<string, unknown>;
  const stored = old as Readonly<Record<string, unknown>>;
  const names = Object.keys(target);
  let isSame = names.length === Object.keys(stored).length;
  const isPrivate = !Object.isFrozen(target);
  for (const name of names) {
    if (!Object.hasOwn(stored, name)) {
      isSame = false;
      continue;
    }
    const member = shared(target[name], stored[name]);
    if (isPrivate && member !== target[name]) target[name] = member;
    isSame &&= member === stored[name];
  }
  return isSame;
}
