import { type Clock, parseTime } from '@outrigger/core';

interface Sighting {
  readonly time: number;
  /** The age of the timestamp when it was first seen. */
  readonly ageMs: number;
  readonly seenAt: number;
}

/**
 * The age of timestamps that other processes (or this agent before a restart) wrote into objects. The first timestamp of an object is
 * compared with the wall clock, because nothing else is available. A later one is at most as old as the one before it, plus the time that
 * passed here by the monotonic clock, minus the difference of the two timestamps: so a wall clock that jumps on either side makes no
 * timestamp look old.
 */
export class WitnessedAges {
  readonly #clock: Clock;
  readonly #sightings = new Map<string, Sighting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the timestamp `text` of the object with this uid; undefined if there is none. */
  ageOf(uid: string, text: string | undefined): number | undefined {
    const time = parseTime(text);
    if (time === undefined) {
      this.#sightings.delete(uid);
      return undefined;
    }
    const sighting = this.#sight(uid, time);
    return sighting.ageMs + (this.#clock.monotonic() - sighting.seenAt);
  }

  #sight(uid: string, time: number): Sighting {
    const before = this.#sightings.get(uid);
    if (before?.time === time) return before;
    const seenAt = this.#clock.monotonic();
    const byWall = this.#clock.now() - time;
    const byWriter = before ? before.ageMs + (seenAt - before.seenAt) - (time - before.time) : byWall;
    const sighting = { time, ageMs: Math.max(0, Math.min(byWall, byWriter)), seenAt };
    this.#sightings.set(uid, sighting);
    return sighting;
  }
}
