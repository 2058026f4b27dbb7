import type { LogEntry, ObjectHistory, Violation } from './log.js';
import { KIND } from './reading.js';

/**
 * addons.md §5: the fleet controller writes the record only with the resourceVersion that it has read, so a write must replace exactly the
 * version that the pass had read.
 */
export function judgeCompareAndSwap(history: ObjectHistory, { kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
  if (kind !== KIND.rollouts || pass?.controller !== 'fleet' || !before || !after) return [];
  const read = history.get(KIND.rollouts, id, pass.seen[KIND.rollouts]);
  if (read === before) return [];
  return [{ rule: 'compare and swap', message: `the record of ${id} is written over a version that the pass has not read`, index }];
}
