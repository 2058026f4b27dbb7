import type { RolloutEntry } from '@outrigger/api';

/**
 * Whether the entry is halted, even if it is also paused. The state of a paused entry is Paused, so only its timeline shows that it is
 * halted.
 */
export function isHalted({ state, failed = 0, targetRevision, timeline = [] }: RolloutEntry): boolean {
  if (state !== 'Paused') return state === 'Halted';
  const [last] = timeline;
  return failed > 0 && last?.to === targetRevision && last?.outcome === 'Halted';
}

/** Whether the entry halts with the next record. An entry that was halted before a pause does not halt again after the pause. */
export function isNewlyHalted(next: RolloutEntry, before: RolloutEntry | undefined): boolean {
  if (!isHalted(next)) return false;
  return before === undefined || !isHalted(before) || before.targetRevision !== next.targetRevision;
}
