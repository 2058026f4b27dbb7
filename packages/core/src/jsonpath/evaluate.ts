import type { CostPool } from '../cost.js';
import { isJsonObject } from '../json.js';
import type { FilterOperator, Step } from './syntax.js';

export interface EvaluateOptions {
  /** Whether a missing field produces no value instead of an error. */
  readonly allowMissingKeys: boolean;
}

const MAX_DEPTH = 1000;

/**
 * Walks a path through one object. Each visited value takes 1 from the pool, because `..` and nested filters visit many more values than
 * the object has.
 */
export class Evaluation {
  readonly #options: EvaluateOptions;
  readonly #pool: CostPool;

  constructor(options: EvaluateOptions, pool: CostPool) {
    this.#options = options;
    this.#pool = pool;
  }

  walk(values: readonly unknown[], steps: readonly Step[]): unknown[] {
    return steps.reduce<unknown[]>((current, step) => this.#take(current, step), [...values]);
  }

  #take(values: readonly unknown[], step: Step): unknown[] {
    this.#visit(values.length);
    switch (step.type) {
      case 'field':
        return this.#takeField(values, step.name);
      case 'wildcard':
        return values.flatMap((value) => this.#childrenOf(value));
      case 'recursive':
        return values.flatMap((value) => this.#descend(value, 0));
      case 'literal':
        return typeof step.value === 'string' ? [step.value] : values.map(() => step.value);
      case 'index':
        return values.flatMap((value) => takeIndex(value, step.index));
      case 'slice':
        return values.flatMap((value) => {
          const taken = takeSlice(value, step.start, step.end, step.step);
          this.#visit(taken.length);
          return taken;
        });
      case 'union':
        return step.branches.flatMap((branch) => this.walk(values, branch));
      case 'filter':
        return values.flatMap((value) => this.#filter(value, step));
    }
  }

  #childrenOf(value: unknown): unknown[] {
    const children = childrenOf(value);
    this.#visit(children.length);
    return children;
  }

  #takeField(values: readonly unknown[], name: string): unknown[] {
    const found = values.flatMap((value) =>
      isJsonObject(value) && Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [],
    );
    if (found.length === 0 && values.length > 0 && !this.#options.allowMissingKeys) throw new Error(`${name} is not found`);
    return found;
  }

  /**
   * Returns the value and all its descendants that have children, outermost first. Non-empty strings are included, because in Go they have
   * elements.
   */
  #descend(value: unknown, depth: number): unknown[] {
    if (typeof value === 'string' && value !== '') return [value];
    if (depth > MAX_DEPTH) throw new Error(`the object is nested deeper than ${MAX_DEPTH} levels`);
    const children = this.#childrenOf(value);
    return children.length === 0 ? [] : [value, ...children.flatMap((child) => this.#descend(child, depth + 1))];
  }

  #filter(value: unknown, step: Step & { type: 'filter' }): unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new Error(`${describe(value)} is not array or slice and cannot be filtered`);
    this.#visit(value.length);
    return value.filter((element) => this.#passes(element, step));
  }

  #passes(element: unknown, { left, operator, right }: Step & { type: 'filter' }): boolean {
    if (operator === 'exists') return this.#existing([element], left).length > 0;
    const lefts = this.walk([element], left);
    if (lefts.length === 0) return false;
    const rights = this.walk([element], right);
    if (rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new Error('can only compare one element at a time');
    return compare(lefts[0], operator, rights[0]);
  }

  /** Evaluates a path that tests whether a field exists. A missing field is not an error, even if `allowMissingKeys` is false. */
  #existing(values: readonly unknown[], steps: readonly Step[]): unknown[] {
    return new Evaluation({ allowMissingKeys: true }, this.#pool).walk(values, steps);
  }

  #visit(count: number): void {
    if (!this.#pool.take(count)) throw new Error(`the path visits more than ${this.#pool.limit} values`);
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((member) => member !== undefined) : [];
}

function takeIndex(value: unknown, index: number): unknown[] {
  const list = requireList(value);
  if (list === undefined) return [];
  const at = index < 0 ? index + list.length : index;
  if (at < 0 || at >= list.length) throw new Error(`array index out of bounds: index ${at}, length ${list.length}`);
  return [list[at]];
}

function takeSlice(value: unknown, start: number | undefined, end: number | undefined, step: number): unknown[] {
  const list = requireList(value);
  if (list === undefined) return [];
  const fromEnd = (position: number): number => (position < 0 ? position + list.length : position);
  const first = fromEnd(start ?? 0);
  const last = fromEnd(end ?? list.length);
  if (first === last) return [];
  if (first < 0 || first >= list.length) throw new Error(`array index out of bounds: index ${first}, length ${list.length}`);
  if (last < 0 || last > list.length) throw new Error(`array index out of bounds: index ${last - 1}, length ${list.length}`);
  if (first > last) throw new Error(`starting index ${first} is greater than ending index ${last}`);
  return list.slice(first, last).filter((_element, i) => i % step === 0);
}

/** Returns a list, or undefined for null, which has no elements. Throws for any other value that is not a list. */
function requireList(value: unknown): readonly unknown[] | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new Error(`${describe(value)} is not array or slice`);
}

function compare(left: unknown, operator: Exclude<FilterOperator, 'exists'>, right: unknown): boolean {
  if (typeof left !== typeof right || typeof left === 'object') {
    if (left === null || right === null) return operator === '!=' ? left !== right : operator === '==' && left === right;
    throw new Error(`incompatible types for comparison: ${describe(left)} ${operator} ${describe(right)}`);
  }
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (typeof left === 'boolean') throw new Error(`booleans have no order: ${String(left)} ${operator} ${String(right)}`);
  return ordered(left as string | number, operator, right as string | number);
}

function ordered(left: string | number, operator: '<' | '<=' | '>' | '>=', right: string | number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : JSON.stringify(value);
}
