/** How Go prints values in the messages of the Kubernetes API server. */

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** `%q`: a double-quoted Go string literal; printable text stays as it is. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeRune)}"`;
}

function escapeRune(rune: string): string {
  const known = ESCAPES[rune];
  if (known !== undefined) return known;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** `%v` of a number: an integer in full, else the shortest form with Go's exponents (`1e-05`, `1e+21`). */
export function goNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isSafeInteger(value)) return String(value);
  if (size !== 0 && size < 1e-4) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return String(value);
}

/** `json.Marshal`: sorted keys, and `<`, `>`, `&` escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(sorted(value)) ?? 'null';
  return text.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
