import type { Budget } from '../budget.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { checkInt, compare, isEqual, noSuchOverload, toUint } from '../operators.js';
import { CelDuration } from '../time.js';
import { BOOL, DOUBLE, DURATION, INT, listOf, PARAM_A, UINT } from '../types.js';
import type { CelUint, CelValue } from '../values.js';

const LIST = listOf(PARAM_A);

function ordered(a: CelValue, b: CelValue, budget: Budget): number {
  budget.chargeSize(a);
  return compare(a, b);
}

function isSorted(list: readonly CelValue[], budget: Budget): boolean {
  return list.every((element, i) => i === 0 || ordered(list[i - 1] as CelValue, element, budget) <= 0);
}

function extreme(name: string, isBetter: (order: number) => boolean) {
  return (list: readonly CelValue[], budget: Budget): CelValue => {
    if (list.length === 0) throw new CelEvaluationError(`${name} called on empty list`);
    return list.reduce((best, element) => (isBetter(ordered(element, best, budget)) ? element : best));
  };
}

/** Adds up a list whose static item type is unknown. The sum of an empty list is the int 0, as in the API server. */
function sumOfAny(list: readonly CelValue[]): CelValue {
  const [first] = list;
  if (first === undefined) return 0n;
  if (typeof first === 'bigint') return sumInts(list as bigint[]);
  if (typeof first === 'number') return (list as number[]).reduce((a, b) => a + b, 0);
  if (first instanceof CelDuration) return sumDurations(list as CelDuration[]);
  throw noSuchOverload('sum', list);
}

const sumInts = (list: readonly bigint[]): bigint => list.reduce((a, b) => checkInt(a + b), 0n);
const sumDurations = (list: readonly CelDuration[]): CelDuration => new CelDuration(list.reduce((sum, { nanos }) => sum + nanos, 0n));
const sumUints = (list: readonly CelUint[]): CelUint => list.reduce((a, b) => toUint(a.value + b.value), toUint(0n));

const indexOf = (list: readonly CelValue[], element: CelValue, budget: Budget): bigint =>
  BigInt(list.findIndex((other) => isEqual(other, element, budget)));
const lastIndexOf = (list: readonly CelValue[], element: CelValue, budget: Budget): bigint =>
  BigInt(list.findLastIndex((other) => isEqual(other, element, budget)));

const containsAll = (list: readonly CelValue[], part: readonly CelValue[], budget: Budget): boolean =>
  part.every((element) => list.some((other) => isEqual(other, element, budget)));

/** Kubernetes' list functions, and the sets extension. */
export const LISTS: readonly CelFunction[] = [
  defineMember('isSorted', [LIST], BOOL, isSorted),
  defineMember(
    'min',
    [LIST],
    PARAM_A,
    extreme('min', (order) => order < 0),
  ),
  defineMember(
    'max',
    [LIST],
    PARAM_A,
    extreme('max', (order) => order > 0),
  ),
  defineMember('sum', [listOf(INT)], INT, sumInts),
  defineMember('sum', [listOf(UINT)], UINT, sumUints),
  defineMember('sum', [listOf(DOUBLE)], DOUBLE, (list: readonly number[]) => list.reduce((a, b) => a + b, 0)),
  defineMember('sum', [listOf(DURATION)], DURATION, sumDurations),
  defineMember('sum', [LIST], PARAM_A, sumOfAny),
  defineMember('indexOf', [LIST, PARAM_A], INT, indexOf),
  defineMember('lastIndexOf', [LIST, PARAM_A], INT, lastIndexOf),
  defineMember('reverse', [LIST], LIST, (list: readonly CelValue[]) => list.toReversed()),
  define('sets.contains', [LIST, LIST], BOOL, containsAll),
  define(
    'sets.equivalent',
    [LIST, LIST],
    BOOL,
    (a: readonly CelValue[], b: readonly CelValue[], budget: Budget) => containsAll(a, b, budget) && containsAll(b, a, budget),
  ),
  define('sets.intersects', [LIST, LIST], BOOL, (a: readonly CelValue[], b: readonly CelValue[], budget: Budget) =>
    a.some((element) => b.some((other) => isEqual(other, element, budget))),
  ),
];
