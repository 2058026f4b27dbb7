import type { WorkCondition, WorkProjection } from './work-projection.js';

/** Whether a condition of a work describes the work's current spec. A condition of an earlier generation describes earlier content. */
export function isCurrent(work: WorkProjection, condition: WorkCondition | undefined): condition is WorkCondition {
  return condition !== undefined && condition.observedGeneration === work.generation;
}

/**
 * Whether the agent has reported on the work's current spec. Feedback values have no generation, but agents write them together with the
 * conditions Applied and Available. They are therefore used only if both conditions have the work's generation.
 */
export function isReported(work: WorkProjection): boolean {
  return isCurrent(work, work.applied) && isCurrent(work, work.available);
}
