import type { Action, EffectHandler } from '@outrigger/kube';

/** A cluster that no entry selects any more. */
export interface Departure {
  /** By the monotonic clock, so that a step of the wall clock does not change the time of a removal. */
  readonly since: number;
  /** A fleet admin confirmed a removal that included this cluster. */
  readonly isConfirmed: boolean;
}

export type Departures = ReadonlyMap<string, Departure>;

const NO_DEPARTURES: Departures = new Map();

/**
 * Stores, per declaration, which clusters no entry selects any more. Kept in memory because storing it would cause writes whenever a
 * cluster leaves an entry briefly, and because a restarted manager should wait for the full time before it removes an add-on.
 */
export class DepartureMemory {
  readonly #departures = new Map<string, Departures>();

  of(declarationUid: string): Departures {
    return this.#departures.get(declarationUid) ?? NO_DEPARTURES;
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

/** Returns no action if these departures are already stored. */
export function noteDepartures(uid: string, before: Departures, after: Departures): readonly Action[] {
  const isSame =
    before.size === after.size && [...after].every(([cluster, { isConfirmed }]) => before.get(cluster)?.isConfirmed === isConfirmed);
  if (isSame) return [];
  const input: DepartureNote = { uid, departures: [...after] };
  return [{ type: 'effect', effect: NOTE_DEPARTURES, id: NOTE_DEPARTURES, input }];
}
