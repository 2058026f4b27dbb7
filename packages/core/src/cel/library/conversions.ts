import { CelEvaluationError, shown } from '../errors.js';
import { type CelFunction, define } from '../functions.js';
import { checkInt, toUint } from '../operators.js';
import { CelDuration, type CelTimestamp, parseGoDuration, parseTimestamp, timestampFromSeconds } from '../time.js';
import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT } from '../types.js';
import type { CelUint, CelValue } from '../values.js';

const identity = (value: CelValue): CelValue => value;
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new CelEvaluationError(`type conversion error from 'string' to 'bool'`);
}

function parseInteger(text: string): bigint {
  if (!/^[+-]?\d{1,30}$/.test(text)) throw new CelEvaluationError(`type conversion error: ${shown(text)} is no integer`);
  return BigInt(text.replace(/^\+/, ''));
}

function parseDouble(text: string): number {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text))
    throw new CelEvaluationError(`type conversion error: ${shown(text)} is no number`);
  return Number(text);
}

/** Rounds toward zero. Throws unless the value is strictly between -2^63 and 2^63. */
function truncate(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelEvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function truncateUnsigned(value: number): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) throw new CelEvaluationError('unsigned integer overflow');
  return toUint(BigInt(Math.trunc(value)));
}

/** Formats like Go's `%g` with the shortest digits. The exponent has at least two digits and is used below 1e-4 and from 1e6. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new CelEvaluationError('invalid UTF-8 in bytes, cannot convert to string', { cause: error });
  }
}

/** The conversions `int(x)`, `string(x)` and so on. */
export const CONVERSIONS: readonly CelFunction[] = [
  define('bool', [BOOL], BOOL, identity),
  define('bool', [STRING], BOOL, parseBool),
  define('int', [INT], INT, identity),
  define('int', [UINT], INT, (value: CelUint) => checkInt(value.value)),
  define('int', [DOUBLE], INT, truncate),
  define('int', [STRING], INT, (text: string) => checkInt(parseInteger(text))),
  define(
    'int',
    [TIMESTAMP],
    INT,
    (time: CelTimestamp) => (time.nanos - (((time.nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)) / 1_000_000_000n,
  ),
  define('int', [DURATION], INT, (duration: CelDuration) => duration.nanos),
  define('uint', [UINT], UINT, identity),
  define('uint', [INT], UINT, toUint),
  define('uint', [DOUBLE], UINT, truncateUnsigned),
  define('uint', [STRING], UINT, (text: string) => toUint(parseInteger(text))),
  define('double', [DOUBLE], DOUBLE, identity),
  define('double', [INT], DOUBLE, (value: bigint) => Number(value)),
  define('double', [UINT], DOUBLE, (value: CelUint) => Number(value.value)),
  define('double', [STRING], DOUBLE, parseDouble),
  define('string', [STRING], STRING, identity),
  define('string', [BOOL], STRING, String),
  define('string', [INT], STRING, String),
  define('string', [UINT], STRING, (value: CelUint) => String(value.value)),
  define('string', [DOUBLE], STRING, formatDouble),
  define('string', [BYTES], STRING, decodeUtf8),
  define('string', [TIMESTAMP], STRING, String),
  define('string', [DURATION], STRING, String),
  define('bytes', [BYTES], BYTES, identity),
  define('bytes', [STRING], BYTES, (text: string) => new TextEncoder().encode(text)),
  define('timestamp', [TIMESTAMP], TIMESTAMP, identity),
  define('timestamp', [STRING], TIMESTAMP, parseTimestamp),
  define('timestamp', [INT], TIMESTAMP, timestampFromSeconds),
  define('duration', [DURATION], DURATION, identity),
  define('duration', [STRING], DURATION, parseGoDuration),
  define('duration', [INT], DURATION, (nanos: bigint) => new CelDuration(nanos)),
];
