import type { FleetDelta } from '@outrigger/console-contract';
import { type FleetPart, slices } from '../fleet/slices.js';

/** The maximum number of pending parts of deltas. Above this number, several parts are applied per frame instead of one. */
const MOST_PENDING = 60;

/** The fleet that the deltas change. */
export interface FleetTarget {
  /**
   * Whether a snapshot of the fleet has been requested and has not arrived. Pending parts of the stream may change that snapshot, so they
   * are applied only after its arrival.
   */
  readonly isAsked: () => boolean;
  /** Applies one part. Returns false if the part does not apply to the fleet; all pending parts are then dropped. */
  readonly apply: (part: FleetPart) => boolean;
}

/** The deltas of the fleet that are not applied yet. A large delta is applied in parts, one per frame, so that no frame is delayed. */
export class FleetDeltas {
  readonly #nextFrame: (act: () => void) => void;
  readonly #target: FleetTarget;
  #pending: FleetPart[] = [];
  #isFramePlanned = false;

  constructor(nextFrame: (act: () => void) => void, target: FleetTarget) {
    this.#nextFrame = nextFrame;
    this.#target = target;
  }

  add(delta: FleetDelta): void {
    this.#pending.push(...slices(delta));
    this.plan();
  }

  drop(): void {
    this.#pending = [];
  }

  /** Applies the pending parts, from the next frame on. */
  plan(): void {
    if (this.#isFramePlanned || this.#pending.length === 0) return;
    this.#isFramePlanned = true;
    this.#nextFrame(() => {
      this.#isFramePlanned = false;
      this.#applyPending();
    });
  }

  #applyPending(): void {
    if (this.#target.isAsked()) return;
    // If too many parts are pending, apply several of them in this frame, so that the browser does not fall further behind.
    do {
      const part = this.#pending.shift();
      if (part !== undefined && !this.#target.apply(part)) this.drop();
    } while (this.#pending.length > MOST_PENDING);
    this.plan();
  }
}
