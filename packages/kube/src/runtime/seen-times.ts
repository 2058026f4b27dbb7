import type { Now } from '../controller.js';

/**
 * A timestamp in an object, with the time at which this process first observed it. Another process, or this process before a restart, wrote
 * the timestamp.
 */
export interface SeenTime {
  readonly uid: string;
  readonly time: number;
  /** The age of the timestamp when it was first observed. */
  readonly ageMs: number;
  /** The monotonic time of the first observation. */
  readonly seenAt: number;
}

/**
 * Records a timestamp (in milliseconds since the epoch) of the object with this uid. Returns the timestamp with its age, from which `ageOf`
 * computes the current age. Returns undefined if there is no timestamp.
 *
 * The age of the first timestamp of an object is computed with the wall clock, because no other reference is available. The age of a later
 * timestamp is at most the age of the previous one, plus the time that has passed on the monotonic clock, minus the difference between the
 * two timestamps. A jump of this process's wall clock therefore does not make a later timestamp look old. A timestamp that its writer sets
 * back looks old.
 */
export function seeTime(last: SeenTime | undefined, uid: string, time: number | undefined, now: Now): SeenTime | undefined {
  if (time === undefined) return undefined;
  const before = last?.uid === uid ? last : undefined;
  if (before?.time === time) return before;
  const byWall = now.wall - time;
  const byWriter = before ? ageOf(before, now) - (time - before.time) : byWall;
  return { uid, time, ageMs: Math.max(0, Math.min(byWall, byWriter)), seenAt: now.monotonic };
}

/** Returns the age of the timestamp in milliseconds. */
export function ageOf({ ageMs, seenAt }: SeenTime, now: Now): number {
  return ageMs + (now.monotonic - seenAt);
}
