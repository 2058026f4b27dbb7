import type { StepDecision } from '../decide.js';

/**
 * The durations of the moves that have succeeded since the last record. A wildcard admission stays in the record, so its clusters are
 * counted once, when the rollout completes.
 */
export function arrivalSeconds({ groups, admitsAll }: Pick<StepDecision, 'groups' | 'admitsAll'>, isComplete: boolean): readonly number[] {
  if (admitsAll && !isComplete) return [];
  const arrived = groups.flatMap((group) => (admitsAll ? group.clusters.filter(({ report }) => report.isDone) : group.arrived));
  return arrived.flatMap(({ movedSeconds }) => movedSeconds ?? []);
}
