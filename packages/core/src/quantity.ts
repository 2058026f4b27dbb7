/** The format in which a quantity was written and is printed again: `500m`, `1Gi`, `5e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const NANO = 9;
const NANOS = 10n ** 9n;
const MAX_NANOS = (2n ** 63n - 1n) * NANOS;
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const MAX_LENGTH = 256;
const MAX_EXPONENT = 300;
/** Decimal numbers with at most this many digits are not capped, whatever their suffix, as in the API machinery. */
const UNCAPPED_DIGITS = 18;
const FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/**
 * A quantity of a resource as Kubernetes counts it: exact to 10^-9, with finer fractions rounded up (away from zero) and long numbers
 * capped at 2^63-1. Immutable.
 */
export class Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;

  constructor(nanos: bigint, format: QuantityFormat = 'DecimalSI') {
    this.nanos = nanos;
    this.format = format;
  }

  /** Adds two quantities. The result has this quantity's format, or that of `other` if this quantity is zero, as in the API machinery. */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  subtract(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  compare(other: Quantity): -1 | 0 | 1 {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  get isInteger(): boolean {
    return this.nanos % NANOS === 0n;
  }

  /** Returns the nearest number. Whole amounts beyond 2^53 lose digits. */
  toNumber(): number {
    return Number(this.nanos / NANOS) + Number(this.nanos % NANOS) / Number(NANOS);
  }

  /** Returns the canonical form. Equal quantities of one format give the same string. */
  toString(): string {
    if (this.format === 'BinarySI' && this.isInteger && (this.nanos <= -1024n * NANOS || this.nanos >= 1024n * NANOS)) {
      return formatBinary(this.nanos / NANOS);
    }
    return formatDecimal(this.nanos, this.format === 'DecimalExponent');
  }
}

/** Parses `250m`, `1.5Gi`, `3e6`, … Throws an error with the API server's message. */
export function parseQuantity(text: string): Quantity {
  const match = text.length > MAX_LENGTH ? null : /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]*)([+-]?)(\d*)$/.exec(text);
  if (match === null) throw new Error(FORMAT_ERROR);
  const [, sign, whole = '', fraction = '', letters = '', exponentSign = '', exponentDigits = ''] = match;
  if (whole + fraction === '') throw new Error(FORMAT_ERROR);
  const { base, exponent, format } = parseSuffix(letters, exponentSign + exponentDigits);
  const unscaled = BigInt(whole + fraction) * (base === 2 ? 2n ** BigInt(exponent) : 1n);
  const scale = NANO - fraction.length + (base === 10 ? exponent : 0);
  const nanos = scale >= 0 ? unscaled * 10n ** BigInt(scale) : divideRoundingUp(unscaled, 10n ** BigInt(-scale));
  const isCapped = nanos > MAX_NANOS && (base === 2 || whole.length + fraction.length > UNCAPPED_DIGITS);
  const capped = isCapped ? MAX_NANOS : nanos;
  return new Quantity(sign === '-' ? -capped : capped, format);
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function parseSuffix(letters: string, exponentText: string): Suffix {
  if (exponentText !== '') {
    const exponent = Number(exponentText);
    const isExponent = (letters === 'e' || letters === 'E') && Number.isInteger(exponent);
    if (!isExponent) throw new Error("unable to parse quantity's suffix");
    // Exponents are limited, because no resource is counted beyond these bounds and larger exponents would make the arithmetic slow.
    return { base: 10, exponent: Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent)), format: 'DecimalExponent' };
  }
  const decimal = DECIMAL_SUFFIXES.get(letters);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.indexOf(letters);
  if (binary < 0) throw new Error("unable to parse quantity's suffix");
  return { base: 2, exponent: binary * 10, format: 'BinarySI' };
}

function divideRoundingUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function formatBinary(amount: bigint): string {
  let rest = amount;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  if (nanos === 0n) return '0';
  let rest = nanos;
  let exponent = -NANO;
  while (rest % 1000n === 0n && (asExponent || exponent < 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
  const suffix = [...DECIMAL_SUFFIXES].find(([, value]) => value === exponent)?.[0] ?? '';
  return `${rest}${suffix}`;
}

export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
