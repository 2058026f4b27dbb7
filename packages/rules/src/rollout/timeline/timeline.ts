import type { RolloutEntry, TargetChange } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import type { TargetCause } from '../targets/cause.js';
import { addDurations, closedDurations } from './durations.js';
import { completedChanges, TIMELINE_LENGTH } from './way-back.js';

interface TimelineStep {
  readonly before: RolloutEntry | undefined;
  /** The entry in the next record. Its timeline is not read. */
  readonly next: RolloutEntry;
  /** Whether more clusters have failed than the strategy tolerates. */
  readonly hasTooManyFailures: boolean;
  /** Whether a gate prevents the rollout from completing. The target is then not recorded as completed. */
  readonly isEndHeld?: boolean;
  /** Whether the declaration requests the target, and no pin does. */
  readonly isDeclared?: boolean;
  /** Returns the durations, in seconds, of the moves that have succeeded since the last record. Called only if the record changes. */
  readonly arrived: (isComplete: boolean) => readonly number[];
  /** Returns the cause of the new target. Called only if the target changes. */
  readonly cause: (last: TargetChange | undefined) => TargetCause;
  readonly now: string;
}

/**
 * Returns the timeline for the next record, newest change first. It changes only if another field of the entry changes, so it never causes
 * a write on its own, except when the pin of its target was removed, which changes the record anyway. An entry that was recorded before
 * timelines existed gets a timeline with its next change.
 */
export function nextTimeline(step: TimelineStep): readonly TargetChange[] {
  const { before, next, now } = step;
  const isUnpinned = step.isDeclared === true && before?.targetRevision === next.targetRevision && before?.timeline?.[0]?.pinned === true;
  if (before && !isUnpinned && isUnchanged(before, next)) return before.timeline ?? [];
  const recorded = before ? recordedTimeline(before) : [];
  const to = next.targetRevision;
  if (to === undefined) return recorded;
  const [last, ...earlier] = recorded;
  if (last?.to === to && before?.targetRevision === to) {
    return [withOutcome(isUnpinned ? { ...last, pinned: false } : last, step), ...earlier];
  }
  const from = before?.targetRevision;
  const change: TargetChange = { at: next.startedAt ?? now, ...(from === undefined ? {} : { from }), to, ...step.cause(last) };
  const isAutomatic = change.cause === 'Automatic';
  const closed = last ? [leave(last, { earlier, to, now, isAutomatic }), ...earlier] : [];
  return bounded([withOutcome(change, step), ...closed]);
}

/**
 * Whether the entry is unchanged. Ignores members and moves, which are added to the record later, and the message, which is derived from
 * the other fields.
 */
function isUnchanged(before: RolloutEntry, next: RolloutEntry): boolean {
  return deepEqual(compared(before), compared(next));
}

function compared({ timeline: _, members: __, message: ___, moves: ____, ...rest }: RolloutEntry): object {
  return rest;
}

/**
 * Returns the stored timeline. A record that was written before timelines existed gets a timeline with one change, which describes its
 * current target with the fields that the record has.
 */
function recordedTimeline(before: RolloutEntry): readonly TargetChange[] {
  const { timeline, targetRevision: to, completedRevision, startedAt: at, state, done = 0, failed = 0 } = before;
  if (timeline && timeline.length > 0) return timeline;
  if (to === undefined || at === undefined) return [];
  const outcome = completedRevision === to && done > 0 ? 'Completed' : state === 'Halted' && failed > 0 ? 'Halted' : undefined;
  return [{ at, to, ...(outcome === undefined ? {} : { outcome }), ...countsOf(before) }];
}

/**
 * Updates the counts and the outcome of the current target. A completed target stays completed, because later changes concern other
 * clusters.
 */
function withOutcome(change: TargetChange, { next, hasTooManyFailures, isEndHeld = false, arrived, now }: TimelineStep): TargetChange {
  if (change.outcome === 'Completed') return change;
  const { outcome: earlier, endedAt = now, durations: known, ...rest } = change;
  const hasCompleted = isComplete(next) && !isEndHeld;
  const outcome = hasCompleted ? 'Completed' : hasTooManyFailures ? 'Halted' : undefined;
  const durations = addDurations(known, arrived(hasCompleted));
  const current = {
    ...rest,
    ...countsOf(next),
    ...(durations === undefined ? {} : { durations: hasCompleted ? closedDurations(durations) : durations }),
  };
  return outcome === undefined ? current : { ...current, outcome, endedAt: outcome === earlier ? endedAt : now };
}

/**
 * Whether the target is complete. An entry without clusters completes no target, because content that has run on no cluster is unproven.
 */
function isComplete({ selected = 0, done = 0, skipped = 0 }: RolloutEntry): boolean {
  return done > 0 && done + skipped === selected;
}

function countsOf({ selected = 0, done = 0, failed = 0, skipped = 0 }: RolloutEntry): Partial<TargetChange> {
  return { selected, done, failed, skipped };
}

interface Leaving {
  readonly earlier: readonly TargetChange[];
  readonly to: number;
  readonly now: string;
  /** Whether the entry leaves its target because it rolls back automatically. */
  readonly isAutomatic: boolean;
}

/** Closes the last change, because the entry now has another target. */
function leave(last: TargetChange, { earlier, to, now, isAutomatic }: Leaving): TargetChange {
  const closed = last.durations ? { ...last, durations: closedDurations(last.durations) } : last;
  if (isAutomatic) return { ...closed, outcome: 'RolledBack', endedAt: now };
  if (last.outcome !== undefined) return closed;
  const isReturn = earlier.some((change) => change.to === to && change.outcome === 'Completed');
  return { ...closed, outcome: isReturn ? 'RolledBack' : 'Superseded', endedAt: now };
}

/** Keeps the recent changes, and in addition the latest completed change that can be a way back, however old it is. */
function bounded(changes: readonly TargetChange[]): readonly TargetChange[] {
  if (changes.length <= TIMELINE_LENGTH) return changes;
  const recent = changes.slice(0, TIMELINE_LENGTH);
  const completed = completedChanges(changes);
  const kept = completed.find(({ to }) => to !== changes[0]?.to) ?? completed[0];
  return kept === undefined || recent.includes(kept) ? recent : [...recent, kept];
}
