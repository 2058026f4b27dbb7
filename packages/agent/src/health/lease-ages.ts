import { type Clock, parseTime } from '@outrigger/core';
import type { LeaseRecord } from './leases.js';

interface Sighting {
  readonly renewTime: number;
  /** How old the renewal was when it was first seen. */
  readonly ageMs: number;
  readonly seenAt: number;
}

/**
 * How long ago leases were renewed, as far as this process can tell. The first sight of a lease goes by the wall clock, there is nothing else to go
 * by. From then on a renewal is as old as the one before it plus the time that passed here minus the time that passed for the holder: a
 * wall clock that jumps on either side makes no lease look stale.
 */
export class LeaseAges {
  readonly #clock: Clock;
  readonly #sightings = new Map<string, Sighting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the last renewal; undefined for a lease that was never renewed. */
  ageOf(lease: LeaseRecord): number | undefined {
    const renewTime = parseTime(lease.renewTime);
    if (renewTime === undefined) {
      this.#sightings.delete(lease.uid);
      return undefined;
    }
    const sighting = this.#sight(lease.uid, renewTime);
    return sighting.ageMs + (this.#clock.monotonic() - sighting.seenAt);
  }

  #sight(uid: string, renewTime: number): Sighting {
    const before = this.#sightings.get(uid);
    if (before?.renewTime === renewTime) return before;
    const seenAt = this.#clock.monotonic();
    const byWall = this.#clock.now() - renewTime;
    const byHolder = before ? before.ageMs + (seenAt - before.seenAt) - (renewTime - before.renewTime) : byWall;
    const sighting = { renewTime, ageMs: Math.max(0, Math.min(byWall, byHolder)), seenAt };
    this.#sightings.set(uid, sighting);
    return sighting;
  }
}
