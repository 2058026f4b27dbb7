import type { WorkCondition, WorkRecord } from './work-record.js';

/** Whether a condition of a work is about the spec that the work has now. A condition of an earlier generation is about earlier content. */
export function isCurrent(work: WorkRecord, condition: WorkCondition | undefined): condition is WorkCondition {
  return condition !== undefined && condition.observedGeneration === work.generation;
}

/**
 * Whether the agent has reported on the spec that the work has now. Feedback values have no generation of their own: they count only if
 * both conditions, which agents write with them, are at the work's generation.
 */
export function isReported(work: WorkRecord): boolean {
  return isCurrent(work, work.applied) && isCurrent(work, work.available);
}
