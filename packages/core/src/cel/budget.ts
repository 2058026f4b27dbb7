import { CelBudgetError } from './errors.js';

/**
 * What one evaluation may cost. A step costs 1, a text 1 per 10 characters walked or produced, a list 1 per element: close to
 * the API server's cost model, whose limit per expression this is. Time never enters, so the verdict is the same on every machine.
 */
export const DEFAULT_COST_LIMIT = 1_000_000;
const CHARACTERS_PER_UNIT = 10;

export class Budget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number = DEFAULT_COST_LIMIT) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#limit) throw new CelBudgetError(`expression cost exceeds the limit of ${this.#limit}: operation cancelled`);
  }

  chargeSize(value: unknown): void {
    if (typeof value === 'string') this.charge(value.length / CHARACTERS_PER_UNIT);
    else if (value instanceof Uint8Array) this.charge(value.length / CHARACTERS_PER_UNIT);
    else if (Array.isArray(value)) this.charge(value.length);
  }
}
