import { parseQuantity, Quantity, isQuantity } from '../../quantity.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { BOOL, DOUBLE, INT, opaque, STRING } from '../types.js';
import { CelOpaque } from '../values.js';

const TYPE_NAME = 'kubernetes.Quantity';
const QUANTITY = opaque(TYPE_NAME);
const NANOS = 1_000_000_000n;

class CelQuantity extends CelOpaque {
  readonly typeName = TYPE_NAME;
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && this.quantity.compare(other.quantity) === 0;
  }
}

function toQuantity(text: string): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(text));
  } catch (error) {
    throw new CelEvaluationError((error as Error).message, { cause: error });
  }
}

function asInteger({ quantity }: CelQuantity): bigint {
  if (!quantity.isInteger) throw new CelEvaluationError('cannot convert value to integer');
  return quantity.nanos / NANOS;
}

const fromInt = (value: bigint): Quantity => new Quantity(value * NANOS);

/** The functions for quantities, such as `quantity("1Gi").isGreaterThan(quantity("500M"))`. */
export const QUANTITIES: readonly CelFunction[] = [
  define('quantity', [STRING], QUANTITY, toQuantity),
  define('isQuantity', [STRING], BOOL, isQuantity),
  define('string', [QUANTITY], STRING, ({ quantity }: CelQuantity) => quantity.toString()),
  defineMember('isInteger', [QUANTITY], BOOL, ({ quantity }: CelQuantity) => quantity.isInteger),
  defineMember('asInteger', [QUANTITY], INT, asInteger),
  defineMember('asApproximateFloat', [QUANTITY], DOUBLE, ({ quantity }: CelQuantity) => quantity.toNumber()),
  define('sign', [QUANTITY], INT, ({ quantity }: CelQuantity) => BigInt(quantity.compare(new Quantity(0n)))),
  defineMember('isLessThan', [QUANTITY, QUANTITY], BOOL, (a: CelQuantity, b: CelQuantity) => a.quantity.compare(b.quantity) < 0),
  defineMember('isGreaterThan', [QUANTITY, QUANTITY], BOOL, (a: CelQuantity, b: CelQuantity) => a.quantity.compare(b.quantity) > 0),
  defineMember('compareTo', [QUANTITY, QUANTITY], INT, (a: CelQuantity, b: CelQuantity) => BigInt(a.quantity.compare(b.quantity))),
  defineMember('add', [QUANTITY, QUANTITY], QUANTITY, (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.quantity.add(b.quantity))),
  defineMember('add', [QUANTITY, INT], QUANTITY, (a: CelQuantity, b: bigint) => new CelQuantity(a.quantity.add(fromInt(b)))),
  defineMember('sub', [QUANTITY, QUANTITY], QUANTITY, (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.quantity.subtract(b.quantity))),
  defineMember('sub', [QUANTITY, INT], QUANTITY, (a: CelQuantity, b: bigint) => new CelQuantity(a.quantity.subtract(fromInt(b)))),
];
