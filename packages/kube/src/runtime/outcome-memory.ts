import type { Outcomes, Refusal } from '../controller.js';
import type { Action } from '../decision.js';
import { actionContent } from '../executor/content.js';
import type { Execution } from '../executor/executor.js';
import { refusalOf } from '../executor/error-policy.js';

interface KeyOutcomes {
  readonly refusals: Map<string, Refusal>;
  readonly succeeded: Set<string>;
  /** The monotonic time at which the API server last accepted each action of the controller's `timedActions`, by id of the action. */
  readonly acceptedAt: Map<string, number>;
}

const UNKNOWN: Outcomes = { refusal: () => undefined, hasSucceeded: () => false, acceptedAt: () => undefined };

/**
 * Keeps the outcomes of each key's actions for the next `observe` (rule 8 of the controller contract). Only keys with outcomes take memory.
 */
export class OutcomeMemory {
  readonly #keys = new Map<string, KeyOutcomes>();
  readonly #timed: ReadonlySet<string>;
  readonly #forbidden = new Set<string>();

  constructor(timedActions: readonly string[] = []) {
    this.#timed = new Set(timedActions);
  }

  /** The number of keys with a write that the server forbids. */
  get forbiddenKeys(): number {
    return this.#forbidden.size;
  }

  of(key: string): Outcomes {
    const known = this.#keys.get(key);
    if (!known) return UNKNOWN;
    return {
      refusal: (id) => known.refusals.get(id),
      hasSucceeded: (id) => known.succeeded.has(id),
      acceptedAt: (id) => known.acceptedAt.get(id),
    };
  }

  /** Called with the actions of a pass before they are sent. Drops the refusals of those actions whose content has changed. */
  reconsider(key: string, actions: readonly Action[]): void {
    const known = this.#keys.get(key);
    if (!known) return;
    if (actions.length === 0) known.succeeded.clear();
    if (known.refusals.size > 0) {
      for (const action of actions) {
        const refusal = known.refusals.get(action.id);
        if (refusal && refusal.content !== actionContent(action)) known.refusals.delete(action.id);
      }
    }
    this.#release(key, known);
  }

  /**
   * Records the outcomes of a pass. Returns whether there is a refusal that `observe` has not seen yet. `at` and `monotonic` are the wall
   * time and the monotonic time of the end of the pass.
   */
  record(key: string, { succeeded, failures }: Execution, at: number, monotonic: number): boolean {
    const known = this.#keys.get(key) ?? nothingKnown();
    for (const { id } of succeeded) {
      known.refusals.delete(id);
      known.succeeded.add(id);
      if (this.#timed.has(id)) known.acceptedAt.set(id, monotonic);
    }
    let isNews = false;
    for (const { action, error } of failures) {
      const refused = refusalOf(action, error);
      // If an error is not a refusal, the outcome is unknown, so keep the last known outcome (rule 8).
      if (!refused) continue;
      const { id } = action;
      const before = known.refusals.get(id);
      const refusal: Refusal = { id, ...refused, content: actionContent(action), at };
      isNews ||= !before || before.content !== refusal.content || before.reason !== refusal.reason || before.message !== refusal.message;
      known.refusals.set(id, refusal);
      known.succeeded.delete(id);
    }
    this.#keys.set(key, known);
    this.#release(key, known);
    return isNews;
  }

  forget(key: string): void {
    this.#keys.delete(key);
    this.#forbidden.delete(key);
  }

  #release(key: string, known: KeyOutcomes): void {
    if (known.refusals.size > 0 && [...known.refusals.values()].some(({ reason }) => reason === 'Forbidden')) this.#forbidden.add(key);
    else this.#forbidden.delete(key);
    if (known.refusals.size === 0 && known.succeeded.size === 0 && known.acceptedAt.size === 0) this.#keys.delete(key);
  }
}

function nothingKnown(): KeyOutcomes {
  return { refusals: new Map(), succeeded: new Set(), acceptedAt: new Map() };
}
