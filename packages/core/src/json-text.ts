/** The result of `checkJsonText`, which reads a JSON text in one pass without parsing it. */
export interface JsonText {
  /**
   * Whether a string contains an escape of a surrogate, such as `\ud83d`. A surrogate is half of a character, and its other half may be
   * missing.
   */
  readonly hasSurrogateEscapes: boolean;
}

export interface JsonTextLimits {
  /** The maximum depth. The outermost value has depth 0. */
  readonly maxDepth: number;
  readonly tooDeep: () => Error;
  /** The maximum number of members of objects and items of lists. Duplicate members also count. */
  readonly maxValues?: number;
  readonly tooMany?: () => Error;
}

/**
 * Checks the limits of a JSON text before `JSON.parse`. For megabytes of brackets or members, `JSON.parse` would block the process for
 * seconds. For a text that is not JSON the result is arbitrary. It does not matter, because `JSON.parse` rejects such a text.
 */
export function checkJsonText(bytes: Uint8Array, limits: JsonTextLimits): JsonText {
  const { maxDepth, tooDeep, maxValues = Number.POSITIVE_INFINITY, tooMany = tooDeep } = limits;
  let depth = -1;
  let values = 0;
  /** Whether the last character, apart from white space, opened an object or list. */
  let isFirst = false;
  let hasSurrogateEscapes = false;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        continue;
      case 0x22:
        for (i++; i < bytes.length && bytes[i] !== 0x22; i++) {
          if (bytes[i] !== 0x5c) continue;
          hasSurrogateEscapes ||= isSurrogateEscape(bytes, i);
          i++;
        }
        isFirst = false;
        continue;
      case 0x7b:
      case 0x5b:
        if (++depth > maxDepth) throw tooDeep();
        values++;
        isFirst = true;
        continue;
      case 0x7d:
      case 0x5d:
        depth--;
        if (isFirst) values--;
        break;
      case 0x2c:
        values++;
        break;
      default:
    }
    isFirst = false;
    if (values > maxValues) throw tooMany();
  }
  return { hasSurrogateEscapes };
}

/** Whether the backslash at `at` begins an escape from `\ud800` to `\udfff`. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 1] !== 0x75) return false;
  const [first, second] = [(bytes[at + 2] ?? 0) | 0x20, (bytes[at + 3] ?? 0) | 0x20];
  return first === 0x64 && (second === 0x38 || second === 0x39 || (second >= 0x61 && second <= 0x66));
}
