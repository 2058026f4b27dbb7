import { GO_ESCAPES } from '../../go-escapes.js';
import type { Budget } from '../budget.js';
import { CelEvaluationError } from '../errors.js';
import { type CelFunction, define, defineMember } from '../functions.js';
import { DYN, INT, listOf, STRING } from '../types.js';
import { formatText } from './format-text.js';

/** Returns the characters (code points) of a string. Positions count characters, as in Go. */
function characters(text: string): string[] {
  return [...text];
}

function position(index: bigint, length: number): number {
  if (index < 0n || index > BigInt(length)) throw new CelEvaluationError(`index out of range: ${index}`);
  return Number(index);
}

function charAt(text: string, index: bigint): string {
  const chars = characters(text);
  return chars[position(index, chars.length)] ?? '';
}

function indexOf(text: string, part: string, budget: Budget, from = 0n): bigint {
  budget.chargeSearch(text, part);
  const chars = characters(text);
  const start = position(from, chars.length);
  if (part === '') return from;
  const prefixLength = chars.slice(0, start).join('').length;
  const found = text.indexOf(part, prefixLength);
  return found < 0 ? -1n : BigInt(characters(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, budget: Budget, from?: bigint): bigint {
  budget.chargeSearch(text, part);
  const chars = characters(text);
  const start = position(from ?? BigInt(chars.length), chars.length);
  if (part === '') return BigInt(start);
  const found = text.lastIndexOf(part, chars.slice(0, start).join('').length);
  return found < 0 ? -1n : BigInt(characters(text.slice(0, found)).length);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const chars = characters(text);
  const last = end === undefined ? chars.length : position(end, chars.length);
  const first = position(start, chars.length);
  if (first > last) throw new CelEvaluationError(`invalid substring range. start: ${start}, end: ${last}`);
  return chars.slice(first, last).join('');
}

/** Replaces parts of a string. Charges for the result before building it, because every character may be replaced by a long string. */
function replace(text: string, part: string, replacement: string, budget: Budget, limit = -1n): string {
  budget.chargeSearch(text, part);
  const occurrences = part === '' ? text.length + 1 : text.split(part).length - 1;
  budget.chargeText(text.length + occurrences * replacement.length);
  if (limit < 0n) return text.replaceAll(part, () => replacement);
  let count = 0n;
  return text.replaceAll(part, (found) => (count++ < limit ? replacement : found));
}

function split(text: string, separator: string, budget: Budget, limit = -1n): string[] {
  budget.chargeSearch(text, separator);
  if (limit === 0n) return [];
  const parts = separator === '' ? characters(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const keep = Number(limit) - 1;
  return [...parts.slice(0, keep), parts.slice(keep).join(separator)];
}

/** Joins strings. Charges for the result before building it, because a list may contain one long string many times. */
function joined(parts: readonly string[], separator: string, budget: Budget): string {
  budget.chargeText(parts.reduce((length, part) => length + part.length + separator.length, 0));
  return parts.join(separator);
}

function quote(text: string): string {
  return `"${text.replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (char) => GO_ESCAPES[char] ?? char)}"`;
}

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upperAscii = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());

/** Matches white space as Go defines it. Unlike in JavaScript, it includes NEL but not the byte order mark. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING_SPACE = new RegExp(`^${SPACE}+`);
const WORD_END = new RegExp(SPACE);

/**
 * Trims white space. A loop finds the end, because a regular expression would take quadratic time on long runs of spaces inside the string.
 */
function trim(text: string): string {
  const start = text.replace(LEADING_SPACE, '');
  let end = start.length;
  while (end > 0 && WORD_END.test(start[end - 1] as string)) end--;
  return start.slice(0, end);
}

/** CEL's string extension. */
export const STRINGS: readonly CelFunction[] = [
  defineMember('charAt', [STRING, INT], STRING, charAt),
  defineMember('indexOf', [STRING, STRING], INT, (text: string, part: string, budget: Budget) => indexOf(text, part, budget)),
  defineMember('indexOf', [STRING, STRING, INT], INT, (text: string, part: string, from: bigint, budget: Budget) =>
    indexOf(text, part, budget, from),
  ),
  defineMember('lastIndexOf', [STRING, STRING], INT, (text: string, part: string, budget: Budget) => lastIndexOf(text, part, budget)),
  defineMember('lastIndexOf', [STRING, STRING, INT], INT, (text: string, part: string, from: bigint, budget: Budget) =>
    lastIndexOf(text, part, budget, from),
  ),
  defineMember('lowerAscii', [STRING], STRING, lowerAscii),
  defineMember('upperAscii', [STRING], STRING, upperAscii),
  defineMember('trim', [STRING], STRING, trim),
  defineMember('reverse', [STRING], STRING, (text: string) => characters(text).reverse().join('')),
  defineMember('replace', [STRING, STRING, STRING], STRING, (text: string, part: string, other: string, budget: Budget) =>
    replace(text, part, other, budget),
  ),
  defineMember(
    'replace',
    [STRING, STRING, STRING, INT],
    STRING,
    (text: string, part: string, other: string, limit: bigint, budget: Budget) => replace(text, part, other, budget, limit),
  ),
  defineMember('split', [STRING, STRING], listOf(STRING), (text: string, separator: string, budget: Budget) =>
    split(text, separator, budget),
  ),
  defineMember('split', [STRING, STRING, INT], listOf(STRING), (text: string, separator: string, limit: bigint, budget: Budget) =>
    split(text, separator, budget, limit),
  ),
  defineMember('substring', [STRING, INT], STRING, (text: string, start: bigint) => substring(text, start)),
  defineMember('substring', [STRING, INT, INT], STRING, (text: string, start: bigint, end: bigint) => substring(text, start, end)),
  defineMember('join', [listOf(STRING)], STRING, (parts: readonly string[], budget: Budget) => joined(parts, '', budget)),
  defineMember('join', [listOf(STRING), STRING], STRING, joined),
  defineMember('format', [STRING, listOf(DYN)], STRING, formatText),
  define('strings.quote', [STRING], STRING, quote),
];
