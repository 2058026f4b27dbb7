import type { Action } from '../decision.js';

/**
 * Maximum number of actions per pass (rule 11 of the controller contract), so that a pause, a deletion or a correction takes effect after
 * one batch.
 */
export const MAX_ACTIONS = 500;

export interface Batch {
  readonly stages: readonly (readonly Action[])[];
  readonly size: number;
  /** Whether actions were left for a later pass. */
  readonly isPartial: boolean;
}

/** Returns the first `limit` actions in stage order. If a stage is only partly included, all later stages are left out. */
export function firstBatch(stages: readonly (readonly Action[])[], limit: number = MAX_ACTIONS): Batch {
  const total = stages.reduce((sum, stage) => sum + stage.length, 0);
  if (total <= limit) return { stages: stages.filter((stage) => stage.length > 0), size: total, isPartial: false };
  const kept: (readonly Action[])[] = [];
  let room = limit;
  for (const stage of stages) {
    if (room === 0) break;
    const part = stage.slice(0, room);
    if (part.length > 0) kept.push(part);
    room -= part.length;
  }
  return { stages: kept, size: limit, isPartial: true };
}
