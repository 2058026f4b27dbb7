import { PROGRESSING_MESSAGES } from '@outrigger/api';
import type { WorkProjection } from './work-projection.js';
import { verdictOf } from './feedback.js';
import { isCurrent, isReported } from './report.js';

/** The progress of the works of a target on their cluster. */
export interface WorksProgress {
  /**
   * Whether everything is applied and available at its generation, and every workload that reports runs the new content on all of its pods.
   */
  readonly isDone: boolean;
  /** The failure to report, if a workload missed its deadline, or if the agent has been unable to apply the works for some time. */
  readonly failure: string | undefined;
  /** The wall time at which an error that prevents the agent from applying the works becomes a failure. */
  readonly recheckAt: number | undefined;
}

/** The time in milliseconds for which the agent may be unable to apply the works before the move counts as failed. */
const APPLY_GRACE_MS = 60_000;

/**
 * Evaluates the works of the target. Only reports on a work's current generation are used, also for failures, because an earlier report
 * describes the previous content.
 */
export function worksProgress(works: readonly WorkProjection[], now: number): WorksProgress {
  const unapplied = works.filter((work) => work.applied?.status === 'False' && isCurrent(work, work.applied));
  const failingSince = Math.min(...unapplied.map((work) => failingFrom(work, now)));
  const verdicts = works
    .filter(isReported)
    .flatMap((work) => work.workloads.map(verdictOf))
    .filter((verdict) => verdict !== undefined);
  const stuck = verdicts.find(({ hasMissedDeadline }) => hasMissedDeadline);
  if (stuck) {
    const failure = PROGRESSING_MESSAGES.deadlineExceeded(
      `${stuck.id.resource} ${stuck.id.namespace}/${stuck.id.name}`,
      stuck.notReadyReason,
    );
    return { isDone: false, failure, recheckAt: undefined };
  }
  if (unapplied.length > 0 && now - failingSince >= APPLY_GRACE_MS) {
    return { isDone: false, failure: applyFailure(unapplied), recheckAt: undefined };
  }
  const recheckAt = unapplied.length > 0 ? failingSince + APPLY_GRACE_MS : undefined;
  const isDone = works.every(isReady) && verdicts.every(({ isRolledOut }) => isRolledOut);
  return { isDone, failure: undefined, recheckAt };
}

/**
 * Returns the time since which the agent has been unable to apply the work's current content: the time in the condition or, if it is later,
 * the time at which the content was written. The condition keeps its time if the previous content failed too. A time in the condition that
 * is ahead of the hub's clock by more than the grace period is ignored; otherwise the failure would be reported only when the hub's clock
 * reaches that time. A time that is ahead by less counts, which delays the failure by at most one more grace period.
 */
function failingFrom({ applied, changedAt }: WorkProjection, now: number): number {
  const since = applied?.since ?? 0;
  return since > now + APPLY_GRACE_MS ? changedAt : Math.max(since, changedAt);
}

function isReady(work: WorkProjection): boolean {
  const holds = (condition: WorkProjection['applied']): boolean => condition?.status === 'True' && isCurrent(work, condition);
  return !work.isDeleting && holds(work.applied) && holds(work.available);
}

/** Lists the objects that could not be applied, with the reasons that the agent reported. */
export function applyFailure(works: readonly WorkProjection[]): string {
  const details = works.flatMap((work) => work.failures.map(({ manifest, message }) => ({ what: manifest, message })));
  const summaries = works.map((work) => ({ what: work.key.name, message: work.applied?.message ?? '' }));
  return PROGRESSING_MESSAGES.notApplied(details.length > 0 ? details : summaries);
}
