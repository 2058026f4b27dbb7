import { backoffMs } from '@outrigger/core';
import { type ObjectRef, versionedId } from '@outrigger/kube';

/**
 * The outcome of the last write of one object for one work. It is kept in memory only, so after a restart at most one additional write is
 * sent.
 */
export interface Attempt {
  /** The digest of the content to write. An attempt with another digest is ignored. */
  readonly content: string;
  /** The monotonic time of the attempt. */
  readonly at: number;
  readonly outcome: Done | Failed;
  /**
   * The number of successive writes of the same content, each within ten minutes of the previous one. The agent repeats a write if another
   * writer keeps changing the object.
   */
  readonly repeats: number;
}

export interface Done {
  readonly type: 'done';
  /** The `fingerprint` of the object after the write. */
  readonly after: string;
}

export interface Failed {
  readonly type: 'failed';
  readonly message: string;
  /** The number of failures in a row. */
  readonly count: number;
  /**
   * Whether the failure has a cause other than the content: there was no response, the server was overloaded, or another writer caused a
   * conflict.
   */
  readonly isPassing: boolean;
}

const RETRY = { baseMs: 1_000, maxMs: 300_000 } as const;
/** The delay starts short, because after a conflict the agent reads the object again and can retry immediately. */
const RETRY_PASSING = { baseMs: 20, maxMs: 30_000 } as const;
const REPEAT = { freeOfCharge: 3, baseMs: 1_000, maxMs: 300_000, forgottenAfterMs: 600_000 } as const;
/** The number of consecutive transient failures after which a condition reports them. */
const PASSING_BEFORE_REPORT = 3;

/** The last attempts of a work, by the versioned id of the object. */
export type Attempts = ReadonlyMap<string, Attempt>;

export const NO_ATTEMPTS: Attempts = new Map();

/** Records that the write of `content` succeeded at the monotonic time `at`. */
export function attemptSucceeded(attempts: Attempts, ref: ObjectRef, content: string, after: string, at: number): Attempts {
  const before = attempts.get(versionedId(ref));
  const isRepeat = before?.content === content && before.outcome.type === 'done' && at - before.at < REPEAT.forgottenAfterMs;
  const attempt: Attempt = { content, at, outcome: { type: 'done', after }, repeats: isRepeat ? before.repeats + 1 : 0 };
  return new Map(attempts).set(versionedId(ref), attempt);
}

/** Records that the write of `content` failed at the monotonic time `at`. */
export function attemptFailed(
  attempts: Attempts,
  ref: ObjectRef,
  content: string,
  failure: Omit<Failed, 'type' | 'count'>,
  at: number,
): Attempts {
  const before = attempts.get(versionedId(ref));
  const failures = before?.content === content && before.outcome.type === 'failed' ? before.outcome.count : 0;
  const outcome: Failed = { type: 'failed', ...failure, count: failures + 1 };
  return new Map(attempts).set(versionedId(ref), { content, at, outcome, repeats: before?.repeats ?? 0 });
}

/** Drops attempts for objects that are no longer wanted. */
export function attemptsFor(attempts: Attempts, refs: readonly ObjectRef[]): Attempts {
  const ids = new Set(refs.map(versionedId));
  return new Map([...attempts].filter(([id]) => ids.has(id)));
}

/** Returns the milliseconds to wait before the same content is written again; 0 or less for no wait. */
export function waitMs({ at, outcome, repeats }: Attempt, monotonic: number): number {
  return at + (outcome.type === 'failed' ? failureRestMs(outcome) : repeatRestMs(repeats)) - monotonic;
}

function failureRestMs({ count, isPassing }: Failed): number {
  return backoffMs(count, isPassing ? RETRY_PASSING : RETRY);
}

/**
 * Returns the delay before repairing an object that another work or writer keeps changing. The first few repairs are not delayed; then the
 * delay increases.
 */
function repeatRestMs(repeats: number): number {
  return repeats < REPEAT.freeOfCharge ? 0 : backoffMs(repeats - REPEAT.freeOfCharge + 1, REPEAT);
}

/** Whether a condition reports the failure. */
export function isReported({ isPassing, count }: Failed): boolean {
  return !isPassing || count >= PASSING_BEFORE_REPORT;
}
