import { ApiError } from '@outrigger/core';
import { endOfString } from './duplicate-keys.js';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Whether a decoded number may differ from the number that was sent. JavaScript represents only integers up to 2^53 exactly. */
export function isInexact(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}

/**
 * Rejects integers of 64 bits that would be stored as another number. A Kubernetes API server stores them exactly. Larger integers, and
 * numbers with a fraction or an exponent, are floats on both servers. `json` must be valid.
 */
export function assertExactIntegers(json: string): void {
  for (const literal of numberLiterals(json)) {
    if (!/^-?\d{16,}$/.test(literal) || String(Number(literal)) === literal) continue;
    const integer = BigInt(literal);
    if (integer >= MIN_INT64 && integer <= MAX_INT64) throw inexact(literal);
  }
}

export function inexact(number: string | number | bigint): ApiError {
  return new ApiError(
    'BadRequest',
    `the body of the request cannot be read: this server cannot store the integer ${number} exactly; the limits are ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  );
}

/** Returns the numbers in a JSON text. A string is skipped as a whole, with the digits in it. */
function* numberLiterals(json: string): Iterable<string> {
  const number = /[-\d.eE+]+/y;
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (char === '"') i = endOfString(json, i);
    else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) {
      number.lastIndex = i;
      const [literal = char] = number.exec(json) ?? [];
      yield literal;
      i += literal.length - 1;
    }
  }
}
