import type { RolloutEntry } from '@outrigger/api';

/** Whether too many clusters failed with the target. A pause replaces the state Halted, so a paused entry is judged by its timeline. */
export function isHalted({ state, failed = 0, targetRevision, timeline = [] }: RolloutEntry): boolean {
  if (state !== 'Paused') return state === 'Halted';
  const [last] = timeline;
  return failed > 0 && last?.to === targetRevision && last?.outcome === 'Halted';
}

/** Whether the entry halts with the next record. An entry that a pause interrupts while it is halted does not halt again. */
export function isNewlyHalted(next: RolloutEntry, before: RolloutEntry | undefined): boolean {
  if (!isHalted(next)) return false;
  return before === undefined || !isHalted(before) || before.targetRevision !== next.targetRevision;
}
