import { compareText } from '../../compare-text.js';
import type { Budget } from '../budget.js';
import { CelEvaluationError } from '../errors.js';
import { CelDuration, CelTimestamp } from '../time.js';
import { CelMap, CelTypeValue, CelUint, type CelKey, type CelValue } from '../values.js';

const MAX_PRECISION = 1000;

/** The cost of formatting one clause, including the digits of a number. */
const CLAUSE_COST = 10;

/**
 * Implements `"%s is %d".format([…])`, with the clauses s, d, f, e, b, o, x, X of CEL's string extension. Charges for each part before
 * writing it.
 */
export function formatText(pattern: string, args: readonly CelValue[], budget: Budget): string {
  let next = 0;
  const text = pattern.replaceAll(/%%|%(?:\.(\d+))?([a-zA-Z])|%/g, (clause, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%';
    if (verb === undefined) throw new CelEvaluationError('could not parse formatting clause: incomplete');
    const arg = args[next];
    if (arg === undefined) throw new CelEvaluationError(`index ${next} out of range`);
    next++;
    budget.charge(CLAUSE_COST);
    return formatClause(verb, precision === undefined ? undefined : toPrecision(precision), arg, budget);
  });
  return text;
}

function toPrecision(text: string): number {
  const precision = Number(text);
  if (precision > MAX_PRECISION) throw new CelEvaluationError(`precision ${text} is too large`);
  return precision;
}

function formatClause(verb: string, precision: number | undefined, arg: CelValue, budget: Budget): string {
  switch (verb) {
    case 's':
      return formatValue(arg, budget);
    case 'd':
      return formatDecimal(arg);
    case 'f':
      return formatNumber(arg, verb, (value) => value.toFixed(Math.min(precision ?? 6, 100)));
    case 'e':
      return formatNumber(arg, verb, (value) => value.toExponential(Math.min(precision ?? 6, 100)).replace(/e([+-])(\d)$/, 'e$10$2'));
    case 'b':
      return typeof arg === 'boolean' ? (arg ? '1' : '0') : formatRadix(arg, 2, verb);
    case 'o':
      return formatRadix(arg, 8, verb);
    case 'x':
      return formatHex(arg, budget);
    case 'X':
      return formatHex(arg, budget).toUpperCase();
    default:
      throw new CelEvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function mismatch(verb: string): CelEvaluationError {
  return new CelEvaluationError(`error during formatting: the value does not fit the clause %${verb}`);
}

function toInteger(arg: CelValue): bigint | undefined {
  return typeof arg === 'bigint' ? arg : arg instanceof CelUint ? arg.value : undefined;
}

function formatDecimal(arg: CelValue): string {
  const integer = toInteger(arg);
  if (integer !== undefined) return String(integer);
  if (typeof arg === 'number') return special(arg) ?? String(arg);
  throw mismatch('d');
}

function formatNumber(arg: CelValue, verb: string, format: (value: number) => string): string {
  const integer = toInteger(arg);
  const value = integer === undefined ? arg : Number(integer);
  if (typeof value === 'number') return special(value) ?? format(value);
  throw mismatch(verb);
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? 'Infinity' : '-Infinity';
}

function formatRadix(arg: CelValue, radix: number, verb: string): string {
  const integer = toInteger(arg);
  if (integer === undefined) throw mismatch(verb);
  return integer.toString(radix);
}

function formatHex(arg: CelValue, budget: Budget): string {
  budget.chargeSize(arg);
  const integer = toInteger(arg);
  if (integer !== undefined) return integer.toString(16);
  if (typeof arg !== 'string' && !(arg instanceof Uint8Array)) throw mismatch('x');
  const bytes = typeof arg === 'string' ? new TextEncoder().encode(arg) : arg;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Formats any value for the clause %s. Maps are written sorted by key. */
function formatValue(arg: CelValue, budget: Budget): string {
  budget.charge(1);
  budget.chargeSize(arg);
  if (typeof arg === 'string') return arg;
  if (typeof arg === 'number') return special(arg) ?? String(arg);
  if (arg === null || typeof arg === 'boolean' || typeof arg === 'bigint') return String(arg);
  if (arg instanceof CelUint) return String(arg.value);
  if (arg instanceof Uint8Array) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(arg);
  if (arg instanceof CelTimestamp || arg instanceof CelDuration) return String(arg);
  if (arg instanceof CelTypeValue) return arg.name;
  if (Array.isArray(arg)) return `[${arg.map((element: CelValue) => formatValue(element, budget)).join(', ')}]`;
  if (arg instanceof CelMap) return `{${formatEntries(arg, budget).join(', ')}}`;
  throw mismatch('s');
}

function formatEntries(map: CelMap, budget: Budget): string[] {
  budget.charge(map.size);
  const written = map.keys().map((key) => [String(key), key] as [string, CelKey]);
  written.sort(([a], [b]) => compareText(a, b));
  return written.map(([text, key]) => `${text}: ${formatValue(map.get(key) as CelValue, budget)}`);
}
