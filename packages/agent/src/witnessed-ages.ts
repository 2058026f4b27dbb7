import { type Clock, parseTime } from '@outrigger/core';

interface Sighting {
  readonly time: number;
  /** How old the time was when it was first seen. */
  readonly ageMs: number;
  readonly seenAt: number;
}

/**
 * How long ago times were written that others (or we, before a restart) wrote into objects, as far as this process can tell. The first sight of
 * one goes by the wall clock, there is nothing else to go by. From then on a later one is as old as the one before it plus the time that
 * passed here minus the time that passed for the writer: a wall clock that jumps on either side makes nothing look old.
 */
export class WitnessedAges {
  readonly #clock: Clock;
  readonly #sightings = new Map<string, Sighting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the time the object with this uid says; undefined where it says none. */
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
