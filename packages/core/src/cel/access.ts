import { CelEvaluationError } from './errors.js';
import { noSuchOverload, toKey } from './operators.js';
import { CelMap, CelObject, CelOptional, type CelValue } from './values.js';

export function select(operand: CelValue, field: string): CelValue {
  const value = lookup(operand, field);
  if (value === undefined) throw new CelEvaluationError(`no such key: ${field}`);
  return value;
}

/** Returns the member of a map or object, or undefined if there is none. Throws for values without members. */
export function lookup(operand: CelValue, field: string): CelValue | undefined {
  if (operand instanceof CelObject || operand instanceof CelMap) return operand.get(field);
  if (operand instanceof CelOptional) return optionalSelect(operand, field);
  throw noSuchOverload(`select ${field}`, operand);
}

export function indexInto(operand: CelValue, index: CelValue): CelValue {
  if (operand instanceof CelOptional) return optionalIndex(operand, index);
  if (Array.isArray(operand)) {
    const key = toKey(index);
    if (typeof key !== 'bigint') throw noSuchOverload('_[_]', operand, index);
    const element = operand[Number(key)] as CelValue | undefined;
    if (element === undefined) throw new CelEvaluationError(`index out of bounds: ${key}`);
    return element;
  }
  if (!(operand instanceof CelMap)) throw noSuchOverload('_[_]', operand, index);
  const key = toKey(index);
  const value = key === undefined ? undefined : operand.get(key);
  if (value === undefined) throw new CelEvaluationError(`no such key: ${String(key)}`);
  return value;
}

/** Selects a field of a value or of an optional. If the operand is absent, the result is `optional.none()`. */
export function optionalSelect(operand: CelValue, field: string): CelValue {
  const value = operand instanceof CelOptional ? operand.value : operand;
  return value === undefined ? CelOptional.none : new CelOptional(lookup(value, field));
}

/** Implements `a[?b]` and `a.?b`, which do not fail if the element is missing. */
export function optionalIndex(operand: CelValue, index: CelValue): CelValue {
  const value = operand instanceof CelOptional ? operand.value : operand;
  if (value === undefined) return CelOptional.none;
  const key = toKey(index);
  if (Array.isArray(value)) return typeof key === 'bigint' ? new CelOptional(value[Number(key)] as CelValue | undefined) : CelOptional.none;
  if (value instanceof CelObject) return new CelOptional(value.get(String(key)));
  if (value instanceof CelMap) return new CelOptional(key === undefined ? undefined : value.get(key));
  throw noSuchOverload('[?_]', value, index);
}
