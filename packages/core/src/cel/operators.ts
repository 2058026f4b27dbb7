import type { Budget } from './budget.js';
import { CelEvaluationError } from './errors.js';
import { CelDuration, CelTimestamp } from './time.js';
import type { CelType } from './types.js';
import { type CelKey, CelMap, CelObject, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from './values.js';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

export function checkInt(value: bigint): bigint {
  if (value < MIN_INT || value > MAX_INT) throw new CelEvaluationError('integer overflow');
  return value;
}

export function toUint(value: bigint): CelUint {
  if (value < 0n || value > MAX_UINT) throw new CelEvaluationError('unsigned integer overflow');
  return new CelUint(value);
}

/** Returns the name that `type(x)` returns. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: CelValue): string {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelObject || value instanceof CelOpaque) return value.typeName;
  if (value instanceof CelUint) return 'uint';
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelOptional) return 'optional_type';
  return value instanceof CelTypeValue ? 'type' : 'bytes';
}

/** Whether a value has a type. It is used at run time to choose an overload if the static type is `dyn`. */
export function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'null':
      return value === null;
    case 'list':
      return Array.isArray(value) && (isAnyType(type.element) || value.every((element: CelValue) => isOfType(element, type.element)));
    case 'map':
      return value instanceof CelMap;
    case 'optional':
      return value instanceof CelOptional;
    case 'object':
    case 'opaque':
      return typeName(value) === type.name;
    case 'timestamp':
      return value instanceof CelTimestamp;
    case 'duration':
      return value instanceof CelDuration;
    default:
      return typeName(value) === type.kind;
  }
}

function isAnyType(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'param';
}

/**
 * Whether two values are equal in CEL. Numbers compare by value across types, values of different types are unequal, and lists and maps
 * compare by content.
 */
export function isEqual(a: CelValue, b: CelValue, budget: Budget): boolean {
  budget.charge(1);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) budget.chargeSize(a);
  if (a === b) return !Number.isNaN(a);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isEqualList(a, b, budget);
  if (a instanceof CelMap) return b instanceof CelMap && isEqualMap(a, b, budget);
  if (a instanceof CelObject) return b instanceof CelObject && isEqualObject(a, b, budget);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && isEqualBytes(a, b, budget);
  return isEqualLeaf(a, b, budget);
}

function isEqualBytes(a: Uint8Array, b: Uint8Array, budget: Budget): boolean {
  budget.chargeSize(a);
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function isEqualLeaf(a: CelValue, b: CelValue, budget: Budget): boolean {
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.typeName === b.typeName && a.equals(b);
  if (a instanceof CelOptional && b instanceof CelOptional) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return isEqual(a.value, b.value, budget);
  }
  return false;
}

function isEqualList(a: readonly CelValue[], b: readonly CelValue[], budget: Budget): boolean {
  return a.length === b.length && a.every((element, i) => isEqual(element, b[i] as CelValue, budget));
}

function isEqualMap(a: CelMap, b: CelMap, budget: Budget): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const other = b.get(key);
    return other !== undefined && isEqual(a.get(key) as CelValue, other, budget);
  });
}

function isEqualObject(a: CelObject, b: CelObject, budget: Budget): boolean {
  const keys = a.keys();
  if (a.typeName !== b.typeName || keys.length !== b.keys().length) return false;
  return keys.every((key) => {
    const other = b.get(key);
    return other !== undefined && isEqual(a.get(key) as CelValue, other, budget);
  });
}

type CelNumber = bigint | number | CelUint;

function isNumber(value: CelValue): value is CelNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint;
}

/** Compares numbers. JavaScript compares a bigint with a number exactly; NaN is unordered. */
function compareNumbers(a: CelNumber, b: CelNumber): number {
  const x = a instanceof CelUint ? a.value : a;
  const y = b instanceof CelUint ? b.value : b;
  if (x < y) return -1;
  if (x > y) return 1;
  return Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0;
}

/**
 * Compares two values for `<` and the like. Returns a negative number, 0, a positive number, or NaN if the values are unordered. Throws for
 * types without an order.
 */
export function compare(a: CelValue, b: CelValue): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw noSuchOverload('compare', a, b);
}

/** Compares strings by code point, which is also the order of the UTF-8 bytes. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0);
  }
  return a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function noSuchOverload(name: string, ...args: readonly CelValue[]): CelEvaluationError {
  return new CelEvaluationError(`no such overload: ${name}(${args.map(typeName).join(', ')})`);
}

/** Returns the canonical form of a map's key, or undefined for a value that cannot be a key. */
export function toKey(value: CelValue): CelKey | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (value instanceof CelUint) return value.value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

export function contains(element: CelValue, container: CelValue, budget: Budget): boolean {
  if (Array.isArray(container)) return container.some((other: CelValue) => isEqual(element, other, budget));
  if (container instanceof CelMap) {
    const key = toKey(element);
    return key !== undefined && container.get(key) !== undefined;
  }
  throw noSuchOverload('in', element, container);
}
