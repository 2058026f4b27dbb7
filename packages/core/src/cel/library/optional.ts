import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { CelMap, CelObject, CelOptional, CelUint, type CelValue } from '../values.js';
import { BOOL, DYN, listOf, optionalOf, PARAM_A } from '../types.js';

const OPTIONAL = optionalOf(PARAM_A);

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof CelObject) return value.keys().length === 0;
  return (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
}

/** The functions for values that may be absent: `optional.of(x)`, `.orValue(y)`. The compiler implements the operators `.?` and `[?]`. */
export const OPTIONALS: readonly CelFunction[] = [
  define('optional.of', [PARAM_A], OPTIONAL, (value: CelValue) => new CelOptional(value)),
  define('optional.ofNonZeroValue', [PARAM_A], OPTIONAL, (value: CelValue) => (isZero(value) ? CelOptional.none : new CelOptional(value))),
  define('optional.none', [], optionalOf(DYN), () => CelOptional.none),
  define('optional.unwrap', [listOf(OPTIONAL)], listOf(PARAM_A), unwrap),
  defineMember('unwrapOpt', [listOf(OPTIONAL)], listOf(PARAM_A), unwrap),
  defineMember('hasValue', [OPTIONAL], BOOL, (optional: CelOptional) => optional.value !== undefined),
  defineMember('value', [OPTIONAL], PARAM_A, (optional: CelOptional) => {
    if (optional.value === undefined) throw new CelEvaluationError('optional.none() dereference');
    return optional.value;
  }),
  defineMember('or', [OPTIONAL, OPTIONAL], OPTIONAL, (optional: CelOptional, other: CelOptional) =>
    optional.value === undefined ? other : optional,
  ),
  defineMember('orValue', [OPTIONAL, PARAM_A], PARAM_A, (optional: CelOptional, other: CelValue) => optional.value ?? other),
];

function unwrap(list: readonly CelOptional[]): CelValue[] {
  return list.flatMap(({ value }) => (value === undefined ? [] : [value]));
}
