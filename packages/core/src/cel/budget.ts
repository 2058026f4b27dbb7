import { CHARACTERS_PER_UNIT, type CostPool, matchCost, textCost } from '../cost.js';
import { compileRegex, estimateProgramSize, MAX_PROGRAM_SIZE, type Regex } from '../regex/index.js';
import { CelBudgetError } from './errors.js';

/**
 * The cost limit of one evaluation, as in the API server. A step costs 1, a string costs 1 per 10 characters read or produced, and a list
 * costs 1 per element. A search costs the product of the lengths of both strings; a pattern costs the product of the string's length and
 * the size of the pattern's program.
 */
export const DEFAULT_COST_LIMIT = 1_000_000;
/** The cost of parsing a pattern and expanding its repetitions, per instruction or character. */
const COMPILE_COST = 10;

/**
 * The budget of one evaluation. The evaluation stops if its cost exceeds its own limit or exhausts the pool (CostPool) that it shares with
 * other evaluations.
 */
export class Budget {
  readonly #limit: number;
  readonly #pool: CostPool;
  readonly #patterns: Map<string, Regex>;
  #used = 0;

  /** `patterns` contains the literal patterns of the expression, which the compiler has already compiled. */
  constructor(pool: CostPool, limit: number = DEFAULT_COST_LIMIT, patterns: ReadonlyMap<string, Regex> = new Map()) {
    this.#limit = limit;
    this.#pool = pool;
    this.#patterns = new Map(patterns);
  }

  get used(): number {
    return this.#used;
  }

  /** Charges a cost. Callers charge for work before they do it. Throws if the evaluation exceeds its limit or exhausts its pool. */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#limit) throw new CelBudgetError(`expression cost exceeds the limit of ${this.#limit}: operation cancelled`);
    if (!this.#pool.take(units)) throw new CelBudgetError('validation failed due to running out of cost budget');
  }

  /** Charges for one pass over the value's characters or elements. */
  chargeSize(value: unknown): void {
    if (typeof value === 'string') this.charge(value.length / CHARACTERS_PER_UNIT);
    else if (value instanceof Uint8Array) this.charge(value.length / CHARACTERS_PER_UNIT);
    else if (Array.isArray(value)) this.charge(value.length);
  }

  /** Charges for a search for one string in another. The cost is that of the worst case: the product of both lengths. */
  chargeSearch(text: string, part: string): void {
    this.charge(textCost(text.length) * textCost(part.length));
  }

  /** Charges for matching a pattern of `programSize` instructions. In the worst case, each instruction runs at each character. */
  chargeMatch(textLength: number, programSize: number): void {
    this.charge(matchCost(textLength, programSize));
  }

  /** Returns the program of a pattern. A pattern computed at run time is compiled once per evaluation, and its compilation is charged. */
  regex(pattern: string): Regex {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    this.charge(COMPILE_COST * Math.max(pattern.length, Math.min(estimateProgramSize(pattern), 2 * MAX_PROGRAM_SIZE)));
    const compiled = compileRegex(pattern);
    this.#patterns.set(pattern, compiled);
    return compiled;
  }

  chargeText(length: number): void {
    this.charge(length / CHARACTERS_PER_UNIT);
  }
}
