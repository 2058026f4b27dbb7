/** A change to a cell, a cluster or an add-on. Without cluster and add-on, it is a change to the activity. */
export interface Change {
  readonly cluster?: string;
  readonly addOn?: string;
}

/** The number of latest changes that the log always keeps. A browser that is further behind may have to request a snapshot. */
const MOST_CHANGES = 100_000;

/** The changes of the state in order, each with a number. */
export class ChangeLog {
  #first = 1;
  #changes: Change[] = [];

  /** Number of the last change; 0 before the first. */
  get sequence(): number {
    return this.#first + this.#changes.length - 1;
  }

  add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length < 2 * MOST_CHANGES) return;
    this.#first += MOST_CHANGES;
    this.#changes = this.#changes.slice(MOST_CHANGES);
  }

  /** Returns the changes after `sequence`, or undefined if some of them were dropped or the number does not belong to this log. */
  after(sequence: number): readonly Change[] | undefined {
    if (!Number.isInteger(sequence) || sequence < this.#first - 1 || sequence > this.sequence) return undefined;
    return this.#changes.slice(sequence - this.#first + 1);
  }
}
