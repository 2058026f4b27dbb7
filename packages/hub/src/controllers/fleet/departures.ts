import type { Action, EffectHandler } from '@outrigger/kube';

/** A cluster that is out of every entry. */
export interface Departure {
  /** By the monotonic clock, so that a stepped clock neither hurries nor delays a removal. */
  readonly since: number;
  /** A person agreed to a removal that this cluster was part of. */
  readonly isConfirmed: boolean;
}

export type Departures = ReadonlyMap<string, Departure>;

const NOBODY: Departures = new Map();

/**
 * Remembers who is leaving, per declaration. It lives in this process on purpose: writing it down would cost writes in a fleet that only
 * flickers, and a manager that starts anew does well to watch for the full time before it removes anything.
 */
export class DepartureMemory {
  readonly #departures = new Map<string, Departures>();

  of(declarationUid: string): Departures {
    return this.#departures.get(declarationUid) ?? NOBODY;
  }

  /** The handler of `noteDepartures`. */
  readonly note: EffectHandler = async (input) => {
    const { uid, departures } = input as DepartureNote;
    if (departures.length === 0) this.#departures.delete(uid);
    else this.#departures.set(uid, new Map(departures));
  };
}

interface DepartureNote {
  readonly uid: string;
  readonly departures: readonly (readonly [string, Departure])[];
}

export const NOTE_DEPARTURES = 'note-departures';

/** Nothing where everything is known already. */
export function noteDepartures(uid: string, before: Departures, after: Departures): readonly Action[] {
  const isSame =
    before.size === after.size && [...after].every(([cluster, { isConfirmed }]) => before.get(cluster)?.isConfirmed === isConfirmed);
  if (isSame) return [];
  const input: DepartureNote = { uid, departures: [...after] };
  return [{ type: 'effect', effect: NOTE_DEPARTURES, id: NOTE_DEPARTURES, input }];
}
