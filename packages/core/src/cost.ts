/**
 * The total cost that all evaluations for one key (a Placement, a request, an object) may have. Code that evaluates expressions, patterns
 * or paths from stored objects takes a pool as an argument, so that no caller can run them without a limit. Cost is counted in steps, never
 * in time, so that the result is the same on every machine.
 */
export class CostPool {
  readonly limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  get isExhausted(): boolean {
    return this.#used > this.limit;
  }

  /** Takes units from the pool. Returns false if the pool is exhausted. The caller must then stop before it does the work. */
  take(units: number): boolean {
    this.#used += units;
    return this.#used <= this.limit;
  }
}

export const CHARACTERS_PER_UNIT = 10;

/** Returns the cost of one pass over a string, at least 1. */
export function textCost(length: number): number {
  return Math.ceil((length + 1) / CHARACTERS_PER_UNIT);
}

/** Returns the cost of running a pattern's program over a string. In the worst case, each instruction runs at each character. */
export function matchCost(textLength: number, programSize: number): number {
  return textCost(textLength) * programSize;
}
