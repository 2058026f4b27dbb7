import type { SeededRandom } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import type { Agenda, Fate, Weather } from '../engine/index.js';

/** The faults that are active. Without faults, a request takes 1 to 3 ms and a change reaches a cache within 2 ms. */
export class Disturbances implements Weather {
  readonly #agenda: Agenda;
  readonly #random: SeededRandom;
  readonly #lags: { readonly process: string; readonly resource: string; readonly ms: number; readonly until: number }[] = [];
  #slowUntil = 0;
  #losses: { readonly fate: Fate; count: number } = { fate: 'arrives', count: 0 };
  #crash: { writes: number; readonly downMs: number } | undefined;
  /** The time in milliseconds by which the wall clocks of the hub processes are ahead of true time. */
  clockOffsetMs = 0;

  constructor(agenda: Agenda, random: SeededRandom) {
    this.#agenda = agenda;
    this.#random = random;
  }

  /** Delays changes of one resource (`*` for all) on their way to the caches of one process, for some time. */
  lag(process: string, resource: string, ms: number, forMs: number): void {
    this.#lags.push({ process, resource, ms, until: this.#agenda.now + forMs });
  }

  /** Makes requests take up to a second for some time, so that other actors can write between any two writes. */
  slow(forMs: number): void {
    this.#slowUntil = this.#agenda.now + forMs;
  }

  /** Sets the fate of the next `count` requests. */
  lose(fate: Fate, count: number): void {
    this.#losses = { fate, count };
  }

  /** Makes the leading process crash after this many more accepted writes. */
  crashAfter(writes: number, downMs: number): void {
    this.#crash = { writes, downMs };
  }

  /** Counts a write. If the process crashes now, returns how long it stays down. */
  countWrite(): number | undefined {
    if (!this.#crash) return undefined;
    this.#crash.writes--;
    if (this.#crash.writes > 0) return undefined;
    const { downMs } = this.#crash;
    this.#crash = undefined;
    return downMs;
  }

  end(): void {
    this.#lags.length = 0;
    this.#slowUntil = 0;
    this.#losses = { fate: 'arrives', count: 0 };
    this.#crash = undefined;
    this.clockOffsetMs = 0;
  }

  watchLagMs(process: string, resource: Resource): number {
    let ms = this.#random.below(3);
    for (const lag of this.#lags) {
      if (lag.until < this.#agenda.now || lag.process !== process) continue;
      if (lag.resource === '*' || lag.resource === resource.name) ms = Math.max(ms, lag.ms);
    }
    return ms;
  }

  requestMs(): number {
    return 1 + this.#random.below(this.#agenda.now < this.#slowUntil ? 1_000 : 3);
  }

  fate(): Fate {
    if (this.#losses.count === 0) return 'arrives';
    this.#losses.count--;
    return this.#losses.fate;
  }
}
