import type { Action, EffectHandler } from '@outrigger/kube';
import type { Timing, Timings } from '../../../../rules/src/rollout/observe/stopwatch.js';

/**
 * Stores the timings of a process between passes, per declaration. Kept in memory because monotonic time is valid only within a process.
 */
export class TimingMemory {
  readonly #timings = new Map<string, Timings>();

  of(declarationUid: string): Timings | undefined {
    return this.#timings.get(declarationUid);
  }

  /** The handler of `noteTimings`. */
  readonly note: EffectHandler = async (input) => {
    const { uid, timings } = input as TimingNote;
    if (timings.length === 0) this.#timings.delete(uid);
    else this.#timings.set(uid, new Map(timings));
  };
}

interface TimingNote {
  readonly uid: string;
  readonly timings: readonly (readonly [string, Timing])[];
}

export const NOTE_TIMINGS = 'note-timings';

export function noteTimings(uid: string, timings: Timings | undefined): readonly Action[] {
  if (!timings) return [];
  const input: TimingNote = { uid, timings: [...timings] };
  return [{ type: 'effect', effect: NOTE_TIMINGS, id: NOTE_TIMINGS, input }];
}
