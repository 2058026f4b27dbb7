import type { Budget } from './budget.js';
import { CelEvaluationError } from './errors.js';
import { isOfType, noSuchOverload } from './operators.js';
import { type Bindings, type CelType, isAssignable, substitute } from './types.js';
import type { CelValue } from './values.js';

/** One overload of a function. A member function's receiver is its first parameter. */
export interface CelFunction {
  readonly name: string;
  readonly isMember: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** The implementation. It gets values of the declared types, and the budget as its last argument. */
  readonly call: (...args: never[]) => CelValue;
}

type Call = (...args: (CelValue | Budget)[]) => CelValue;

/** Defines a function that is called as `name(a, b)`. The name may be qualified: `sets.contains`. */
export function define(name: string, params: readonly CelType[], result: CelType, call: (...args: never[]) => CelValue): CelFunction {
  return { name, isMember: false, params, result, call };
}

/** Defines a function that is called as `a.name(b)`. */
export function defineMember(name: string, params: readonly CelType[], result: CelType, call: (...args: never[]) => CelValue): CelFunction {
  return { name, isMember: true, params, result, call };
}

/** The functions that an expression may call. They are looked up by name, call form and number of arguments. */
export class FunctionTable {
  readonly #functions = new Map<string, CelFunction[]>();
  readonly #names = new Set<string>();

  constructor(functions: readonly CelFunction[]) {
    for (const fn of functions) {
      const key = tableKey(fn.name, fn.isMember, fn.params.length);
      this.#names.add(fn.name);
      this.#functions.set(key, [...(this.#functions.get(key) ?? []), fn]);
    }
  }

  /** Whether any function has this name. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  find(name: string, isMember: boolean, arity: number): readonly CelFunction[] {
    return this.#functions.get(tableKey(name, isMember, arity)) ?? [];
  }
}

function tableKey(name: string, isMember: boolean, arity: number): string {
  return `${isMember ? '.' : ''}${name}/${arity}`;
}

export interface ResolvedCall {
  readonly type: CelType;
  readonly call: (args: CelValue[], budget: Budget) => CelValue;
}

/**
 * Chooses an overload by the static types or, if a static type is unknown, by the values at run time. Returns undefined if no overload
 * fits.
 */
export function resolveCall(overloads: readonly CelFunction[], argTypes: readonly CelType[]): ResolvedCall | undefined {
  const fitting = overloads.flatMap((fn) => {
    const bindings: Bindings = new Map();
    return fn.params.every((param, i) => isAssignable(param, argTypes[i] as CelType, bindings)) ? [{ fn, bindings }] : [];
  });
  const [first] = fitting;
  if (first === undefined) return undefined;
  const results = fitting.map(({ fn, bindings }) => substitute(fn.result, bindings));
  const isSame = results.every((result) => JSON.stringify(resultKey(result)) === JSON.stringify(resultKey(results[0] as CelType)));
  const candidates = fitting.map(({ fn }) => fn);
  return {
    type: isSame ? (results[0] as CelType) : { kind: 'dyn' },
    call:
      candidates.length === 1 && first.fn.params.every((param, i) => isExact(param, argTypes[i] as CelType))
        ? direct(first.fn)
        : dispatch(candidates),
  };
}

function resultKey(type: CelType): unknown {
  return type.kind === 'object' ? type.name : type;
}

/** Whether the static types alone show that a parameter accepts an argument. If they do, its value is not checked at run time. */
function isExact(param: CelType, actual: CelType): boolean {
  if (param.kind === 'dyn' || param.kind === 'param') return true;
  if (actual.kind === 'dyn' || actual.kind === 'null') return false;
  if (param.kind === 'list' && actual.kind === 'list') return isExact(param.element, actual.element);
  if (param.kind === 'optional') return true;
  return param.kind !== 'map' || actual.kind === 'map';
}

function direct(fn: CelFunction): ResolvedCall['call'] {
  return (args, budget) => invoke(fn, args, budget);
}

function dispatch(candidates: readonly CelFunction[]): ResolvedCall['call'] {
  return (args, budget) => {
    // Charge for checking the values by their size, even if no overload fits.
    for (const arg of args) if (Array.isArray(arg)) budget.chargeSize(arg);
    for (const fn of candidates) if (fn.params.every((param, i) => isOfType(args[i] as CelValue, param))) return invoke(fn, args, budget);
    throw noSuchOverload(candidates[0]?.name ?? '', ...args);
  };
}

/** Calls a function. Both the arguments and the result are charged by size. */
function invoke(fn: CelFunction, args: readonly CelValue[], budget: Budget): CelValue {
  for (const arg of args) budget.chargeSize(arg);
  const result = (fn.call as Call)(...args, budget);
  if (result === undefined) throw new CelEvaluationError(`${fn.name} gave no value`);
  budget.chargeSize(result);
  return result;
}
