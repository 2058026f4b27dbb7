import { GO_ESCAPES } from '../go-escapes.js';

/** Formats values as Go prints them in the Kubernetes API server's messages. */

/** A string that is printed unchanged. It is used for Go structs, which Go prints with different names and in a different order. */
export class Verbatim {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Formats a text as Go's `%q` does: as a double-quoted string literal. Printable characters are not escaped. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeRune)}"`;
}

function escapeRune(rune: string): string {
  const known = GO_ESCAPES[rune];
  if (known !== undefined) return known;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Formats a decoded number as `%v`: an integer with all digits, any other number as `goFloat` does. */
export function goNumber(value: number): string {
  return isInt64(value) ? String(BigInt(value)) : goFloat(value);
}

/** Whether the API server decodes a number as an integer. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** Formats a float64 as `%v`: in the shortest form, with an exponent below 1e-4 and from 1e6 (`1.5`, `1e-05`, `1e+07`). */
export function goFloat(value: number): string {
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf('e') + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Formats a value as Go's `json.Marshal` does: with sorted keys, and with `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(sorted(value)) ?? 'null';
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(sortedEntries(value).map(([key, member]) => [key, sorted(member)]));
}

/** Formats any value as `%v`, such as `map[a:1 b:[x y]]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  return `map[${sortedEntries(value)
    .map(([key, member]) => `${key}:${goValue(member)}`)
    .join(' ')}]`;
}

/** Formats any value as `%#v`, in Go syntax, such as `map[string]interface {}{"a":1}`. */
export function goLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (typeof value !== 'object') return goValue(value);
  return `map[string]interface {}{${sortedEntries(value)
    .map(([key, member]) => `${goQuote(key)}:${goLiteral(member)}`)
    .join(', ')}}`;
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
