/**
 * Parses a Kubernetes list while its bytes arrive: every element of the top-level `items` array is cut out and parsed on its own, so
 * that neither the whole text nor one long `JSON.parse` ever exists. Any other JSON value comes out as `JSON.parse` would give it.
 */
export interface ListDecoder {
  push(chunk: Uint8Array): void;
  /** The complete value, after the last chunk. Throws SyntaxError if the text is not JSON. */
  end(): unknown;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Only this spelling is recognised; an escaped one stays in the envelope and is parsed with it, which is correct, only slower. */
const ITEMS = Buffer.from('items');

export function createListDecoder(): ListDecoder {
  /** The text around the elements; inside `items` it collects the element being read. */
  let envelope: Buffer[] = [];
  let element: Buffer[] = [];
  let items: unknown[] | undefined;

  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isInItems = false;
  /** At the top level: whether the next string is a key, and how much of it spells `items` (-1: it does not). */
  let isKeyNext = false;
  let keyMatch = -1;
  let isItemsNext = false;

  function keep(bytes: Buffer, from: number, to: number): void {
    if (to > from) (isInItems ? element : envelope).push(bytes.subarray(from, to));
  }

  function finishElement(): void {
    const text = textOf(element);
    element = [];
    items?.push(JSON.parse(text));
  }

  /** Reads on inside a string and returns where to continue: after its closing quote, or at the end of the chunk. */
  function skipString(bytes: Buffer, start: number): number {
    for (let i = start; i < bytes.length; i += 1) {
      const byte = bytes[i] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        isInString = false;
        return i + 1;
      }
    }
    return bytes.length;
  }

  /** The same for a key of the top-level object, comparing on the way. */
  function readKey(bytes: Buffer, start: number): number {
    const end = skipString(bytes, start);
    const last = isInString ? end : end - 1;
    for (let i = start; i < last && keyMatch >= 0; i += 1) keyMatch = bytes[i] === ITEMS[keyMatch] ? keyMatch + 1 : -1;
    if (isInString) return end;
    isKeyNext = false;
    isItemsNext = keyMatch === ITEMS.length;
    if (isItemsNext) items = undefined;
    return end;
  }

  function isBlankElement(): boolean {
    return element.every((part) => part.toString('latin1').trim() === '');
  }

  function push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    let i = 0;
    while (i < bytes.length) {
      if (isInString) {
        i = isKeyNext && depth === 1 ? readKey(bytes, i) : skipString(bytes, i);
        continue;
      }
      switch (bytes[i]) {
        case QUOTE:
          isInString = true;
          keyMatch = 0;
          break;
        case OPEN_BRACE:
          depth += 1;
          isKeyNext = depth === 1;
          break;
        case OPEN_BRACKET:
          depth += 1;
          if (depth === 2 && isItemsNext) {
            keep(bytes, from, i + 1);
            from = i + 1;
            isInItems = true;
            items = [];
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          depth -= 1;
          if (depth === 1 && isInItems) {
            keep(bytes, from, i);
            from = i;
            if (items?.length !== 0 || !isBlankElement()) finishElement();
            element = [];
            isInItems = false;
            isItemsNext = false;
          }
          break;
        case COMMA:
          if (depth === 2 && isInItems) {
            keep(bytes, from, i);
            from = i + 1;
            finishElement();
          } else if (depth === 1) {
            isKeyNext = true;
            isItemsNext = false;
          }
          break;
      }
      i += 1;
    }
    keep(bytes, from, bytes.length);
  }

  function end(): unknown {
    const text = textOf(isInItems ? [...envelope, ...element] : envelope);
    envelope = [];
    const value: unknown = JSON.parse(text);
    return items && typeof value === 'object' && value !== null && 'items' in value ? { ...value, items } : value;
  }

  return { push, end };
}

/** Most elements lie within one chunk and need no copy. */
function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return first && parts.length === 1 ? first.toString('utf8') : Buffer.concat(parts).toString('utf8');
}
