import type { KubeObject } from '@outrigger/core';

/**
 * The known state of an object. `unknown` means that the object was not read yet, or not since a write without a response. `unreadable`
 * means that the server forbids the read or cannot answer it.
 */
export type Live =
  | { readonly state: 'present'; readonly object: KubeObject }
  /** `mayCome` is set if a create with an unknown outcome may still reach the server. */
  | { readonly state: 'absent'; readonly mayCome?: true }
  | { readonly state: 'unknown' }
  | { readonly state: 'unreadable'; readonly error: string };

export const UNKNOWN: Live = { state: 'unknown' };
export const ABSENT: Live = { state: 'absent' };
export const ABSENT_YET: Live = { state: 'absent', mayCome: true };

export function liveOf(object: KubeObject | undefined): Live {
  return object ? { state: 'present', object } : ABSENT;
}

export function revisionOf(live: Live): string {
  return live.state === 'present' ? (live.object.metadata.resourceVersion ?? '') : '';
}

export function isSameLive(a: Live, b: Live): boolean {
  if (a.state === 'unreadable' && b.state === 'unreadable') return a.error === b.error;
  if (a.state === 'absent' && b.state === 'absent') return a.mayCome === b.mayCome;
  return a.state === b.state && revisionOf(a) === revisionOf(b);
}

/** Whether the resourceVersion `revision` is known to be older than `than`; false if the two cannot be compared. */
export function isOlder(revision: string, than: string): boolean {
  if (!/^\d+$/.test(revision) || !/^\d+$/.test(than)) return false;
  return revision.length === than.length ? revision < than : revision.length < than.length;
}
