import type { Budget } from '../budget.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { checkInt, toUint, typeName } from '../operators.js';
import { CelDuration, CelTimestamp } from '../time.js';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, PARAM_A, PARAM_B, STRING, TIMESTAMP, TYPE, UINT } from '../types.js';
import { type CelMap, CelTypeValue, type CelUint, type CelValue } from '../values.js';

const LIST = listOf(PARAM_A);
const MAP = mapOf(PARAM_A, PARAM_B);

const divisor = (value: bigint): bigint => {
  if (value === 0n) throw new CelEvaluationError('division by zero');
  return value;
};
const modulus = (value: bigint): bigint => {
  if (value === 0n) throw new CelEvaluationError('modulus by zero');
  return value;
};

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const result = new Uint8Array(a.length + b.length);
  result.set(a);
  result.set(b, a.length);
  return result;
}

function contains(text: string, part: string, budget: Budget): boolean {
  budget.chargeSearch(text, part);
  return text.includes(part);
}

const ARITHMETIC: readonly CelFunction[] = [
  define('!_', [BOOL], BOOL, (a: boolean) => !a),
  define('-_', [INT], INT, (a: bigint) => checkInt(-a)),
  define('-_', [DOUBLE], DOUBLE, (a: number) => -a),
  define('_+_', [INT, INT], INT, (a: bigint, b: bigint) => checkInt(a + b)),
  define('_-_', [INT, INT], INT, (a: bigint, b: bigint) => checkInt(a - b)),
  define('_*_', [INT, INT], INT, (a: bigint, b: bigint) => checkInt(a * b)),
  define('_/_', [INT, INT], INT, (a: bigint, b: bigint) => checkInt(a / divisor(b))),
  define('_%_', [INT, INT], INT, (a: bigint, b: bigint) => a % modulus(b)),
  define('_+_', [UINT, UINT], UINT, (a: CelUint, b: CelUint) => toUint(a.value + b.value)),
  define('_-_', [UINT, UINT], UINT, (a: CelUint, b: CelUint) => toUint(a.value - b.value)),
  define('_*_', [UINT, UINT], UINT, (a: CelUint, b: CelUint) => toUint(a.value * b.value)),
  define('_/_', [UINT, UINT], UINT, (a: CelUint, b: CelUint) => toUint(a.value / divisor(b.value))),
  define('_%_', [UINT, UINT], UINT, (a: CelUint, b: CelUint) => toUint(a.value % modulus(b.value))),
  define('_+_', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a + b),
  define('_-_', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a - b),
  define('_*_', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a * b),
  define('_/_', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a / b),
  define('_+_', [STRING, STRING], STRING, (a: string, b: string) => a + b),
  define('_+_', [BYTES, BYTES], BYTES, concatenated),
  define('_+_', [LIST, LIST], LIST, (a: readonly CelValue[], b: readonly CelValue[]) => [...a, ...b]),
  define('_+_', [DURATION, DURATION], DURATION, (a: CelDuration, b: CelDuration) => new CelDuration(a.nanos + b.nanos)),
  define('_-_', [DURATION, DURATION], DURATION, (a: CelDuration, b: CelDuration) => new CelDuration(a.nanos - b.nanos)),
  define('_+_', [TIMESTAMP, DURATION], TIMESTAMP, (a: CelTimestamp, b: CelDuration) => new CelTimestamp(a.nanos + b.nanos)),
  define('_+_', [DURATION, TIMESTAMP], TIMESTAMP, (a: CelDuration, b: CelTimestamp) => new CelTimestamp(a.nanos + b.nanos)),
  define('_-_', [TIMESTAMP, DURATION], TIMESTAMP, (a: CelTimestamp, b: CelDuration) => new CelTimestamp(a.nanos - b.nanos)),
  define('_-_', [TIMESTAMP, TIMESTAMP], DURATION, (a: CelTimestamp, b: CelTimestamp) => new CelDuration(a.nanos - b.nanos)),
];

const sizes: readonly [typeof STRING, (value: never) => bigint][] = [
  [STRING, (text: string) => BigInt([...text].length)],
  [BYTES, (bytes: Uint8Array) => BigInt(bytes.length)],
  [LIST, (list: readonly CelValue[]) => BigInt(list.length)],
  [MAP, (map: CelMap) => BigInt(map.size)],
];

const SIZE: readonly CelFunction[] = sizes.flatMap(([type, size]) => [
  define('size', [type], INT, size),
  defineMember('size', [type], INT, size),
]);

const TEXT: readonly CelFunction[] = [
  defineMember('contains', [STRING, STRING], BOOL, contains),
  defineMember('startsWith', [STRING, STRING], BOOL, (text: string, prefix: string) => text.startsWith(prefix)),
  defineMember('endsWith', [STRING, STRING], BOOL, (text: string, suffix: string) => text.endsWith(suffix)),
];

const TYPES: readonly CelFunction[] = [
  define('type', [DYN], TYPE, (value: CelValue) => new CelTypeValue(typeName(value))),
  define('dyn', [DYN], DYN, (value: CelValue) => value),
];

/** The functions for arithmetic, sizes, strings and types. Those for conversions and time are in separate files. */
export const STANDARD: readonly CelFunction[] = [...ARITHMETIC, ...SIZE, ...TEXT, ...TYPES];
