import { PROGRESSING_MESSAGES } from '@outrigger/api';
import type { WorkRecord } from '../resources/works.js';
import { verdictOf } from './feedback.js';
import { isCurrent, isReported } from './report.js';

/** How far the works of a target have got on their cluster. */
export interface WorksProgress {
  /** Everything is applied and available at its generation and every workload that reports runs the new content on all of its pods. */
  readonly isDone: boolean;
  /** A workload gave up, or nothing could be applied for a while: in the words of who said so. */
  readonly failure: string | undefined;
  /** Wall time at which a failure in the making becomes one. */
  readonly recheckAt: number | undefined;
}

/** How long the agent may fail to apply before the move counts as failed. */
const APPLY_GRACE_MS = 60_000;

/**
 * Reads the works of the target itself. Only what the agent reports at a work's current generation counts, failures included: an earlier
 * report is about the content the work had before.
 */
export function worksProgress(works: readonly WorkRecord[], now: number): WorksProgress {
  const unapplied = works.filter((work) => work.applied?.status === 'False' && isCurrent(work, work.applied));
  const failingSince = Math.min(...unapplied.map(failingFrom));
  const verdicts = works
    .filter(isReported)
    .flatMap((work) => work.workloads.map(verdictOf))
    .filter((verdict) => verdict !== undefined);
  const stuck = verdicts.find(({ hasMissedDeadline }) => hasMissedDeadline);
  if (stuck) {
    const failure = PROGRESSING_MESSAGES.deadlineExceeded(`${stuck.id.resource} ${stuck.id.namespace}/${stuck.id.name}`);
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
 * Since when the agent fails to apply the content the work has now. The condition's own time does not move when one content after another
 * fails, so the grace of the newer one starts when it was written.
 */
function failingFrom({ applied, changedAt }: WorkRecord): number {
  return Math.max(applied?.since ?? 0, changedAt);
}

function isReady(work: WorkRecord): boolean {
  const holds = (condition: WorkRecord['applied']): boolean => condition?.status === 'True' && isCurrent(work, condition);
  return !work.isDeleting && holds(work.applied) && holds(work.available);
}

/** What could not be applied, with object and reason as the cluster told them. */
export function applyFailure(works: readonly WorkRecord[]): string {
  const details = works.flatMap((work) => work.failures.map(({ manifest, message }) => ({ what: manifest, message })));
  const summaries = works.map((work) => ({ what: work.key.name, message: work.applied?.message ?? '' }));
  return PROGRESSING_MESSAGES.notApplied(details.length > 0 ? details : summaries);
}
