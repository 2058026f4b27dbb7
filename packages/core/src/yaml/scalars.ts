/**
 * The meaning of a plain (unquoted) scalar for kubectl, which follows the Go YAML reader: a mixture of YAML 1.1 (yes/no/on/off, 012 is
 * octal) and 1.2 (0o12), without sexagesimals, and with dates as strings.
 */

const KEYWORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...words(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'], true),
  ...words(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'], false),
  ...words(['', '~', 'null', 'Null', 'NULL'], null),
  ...words(['.nan', '.NaN', '.NAN'], Number.NaN),
  ...words(['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'], Number.POSITIVE_INFINITY),
  ...words(['-.inf', '-.Inf', '-.INF'], Number.NEGATIVE_INFINITY),
]);

function words<T>(texts: readonly string[], value: T): [string, T][] {
  return texts.map((text) => [text, value]);
}

const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;

/** Returns the value of a plain scalar. Integers beyond 2^53 lose digits, as in JSON.parse. */
export function resolvePlainScalar(text: string): string | number | boolean | null {
  const keyword = KEYWORDS.get(text);
  if (keyword !== undefined) return keyword;
  return resolveNumber(text) ?? text;
}

function resolveNumber(text: string): number | undefined {
  if (!/^[-+.0-9]/.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  const integer = parseInteger(digits);
  if (integer !== undefined) return Number(integer);
  if (!FLOAT.test(digits)) return undefined;
  const float = Number(digits);
  return Number.isFinite(float) ? float : undefined;
}

function parseInteger(text: string): bigint | undefined {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits}` : digits.toLowerCase());
  const value = sign === '-' ? -magnitude : magnitude;
  return value >= MIN_INT64 && value <= MAX_UINT64 ? value : undefined;
}

/**
 * Whether a string, written without quotes, would be read as another value by this or another YAML reader. A block of blank lines is such a
 * string, because a reader takes the spaces in these lines as indentation.
 */
export function needsQuotes(text: string): boolean {
  return (
    resolvePlainScalar(text) !== text ||
    text === '<<' ||
    text === '=' ||
    /^[ \t\r\n]+$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+|^[0-9]{4}-[0-9]/.test(text)
  );
}
