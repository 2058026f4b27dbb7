const MAX_DEPTH = 1000;

/**
 * Serializes a value byte for byte as Go's encoding/json writes the same unstructured object: keys sorted by their UTF-8 bytes, no spaces,
 * `<`, `>`, `&`, U+2028 and U+2029 escaped. Hashes that other programs compute over such JSON therefore agree.
 *
 * Undefined members are omitted. A bigint is written as an integer, for values beyond 2^53. Throws for values that JSON cannot represent,
 * such as NaN, functions and cycles, and for values nested deeper than 1000 levels.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (depth > MAX_DEPTH) throw new Error(`cannot serialise a value nested deeper than ${MAX_DEPTH} levels`);
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value as Record<string, unknown>, depth);
    default:
      throw new Error(`cannot serialise a ${typeof value} as JSON`);
  }
}

function writeArray(items: readonly unknown[], depth: number): string {
  return `[${items.map((item) => write(item, depth + 1)).join(',')}]`;
}

function writeObject(object: Readonly<Record<string, unknown>>, depth: number): string {
  const members: string[] = [];
  for (const key of Object.keys(object).sort(compareUtf8)) {
    const value = object[key];
    if (value !== undefined) members.push(`${writeString(key)}:${write(value, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Writes a number. JavaScript and Go agree on the shortest digits and on when to use an exponent (below 1e-6, from 1e21). They differ only
 * in -0, which Kubernetes reads as the integer 0.
 */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`cannot serialise ${value} as JSON`);
  return String(value);
}

const ESCAPED = /[<>&\u2028\u2029]/g;
const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

function writeString(text: string): string {
  // Go's decoder replaces a lone surrogate with U+FFFD.
  const wellFormed = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
  return JSON.stringify(wellFormed).replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Compares two strings in UTF-8 order, which is code point order. UTF-16 order differs only in that it sorts surrogates below
 * U+E000…U+FFFF.
 */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

function codePointRank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x10000 : codeUnit;
}
