import type { Timings } from '@outrigger/rules/rollout';

/** A cluster that no entry selects any more. */
export interface Departure {
  /**
   * The time at which the cluster left, on the monotonic clock, so that a step of the wall clock does not shift the removal of the add-on.
   */
  readonly since: number;
  /** Whether a fleet admin confirmed a removal that included this cluster. */
  readonly isConfirmed: boolean;
  /**
   * The number of add-ons with which the removal guard compares this removal; undefined unless the waiting time has passed and the guard
   * holds the removal.
   */
  readonly guardedOf?: number | undefined;
  /** The entry that last selected the cluster; undefined if the record does not list the cluster. */
  readonly entry?: string | undefined;
}

export type Departures = ReadonlyMap<string, Departure>;

/**
 * The values that a pass keeps in memory for the next pass over the same declaration. They are not stored, for three reasons: monotonic
 * time is valid only within a process, a write for every cluster that briefly leaves an entry would be too expensive, and a new leader
 * should wait the full time before it removes an add-on.
 */
export interface FleetMemory {
  /** The uid of the declaration, so that a declaration that is created again under the same name starts without in-memory state. */
  readonly uid: string;
  /** The clusters that no entry selected in the last pass. */
  readonly departures: Departures;
  /** The start times of soaks, moves and absences; undefined before the first pass of a term, because only that pass uses stored times. */
  readonly timings: Timings | undefined;
}

const NO_DEPARTURES: Departures = new Map();

/** The in-memory state of this declaration; empty in its first pass. */
export function memoryOf(remembered: FleetMemory | undefined, uid: string): FleetMemory {
  return remembered?.uid === uid ? remembered : { uid, departures: NO_DEPARTURES, timings: undefined };
}

/** The in-memory state for the next pass. `timings` is undefined if the timings have not changed. */
export function nextMemory(before: FleetMemory, departures: Departures, timings: Timings | undefined): FleetMemory {
  return { uid: before.uid, departures, timings: timings ?? before.timings };
}
