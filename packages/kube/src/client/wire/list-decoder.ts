/**
 * Parses a Kubernetes list while its bytes arrive. Every element of the top-level `items` array is extracted and parsed separately, so that
 * the whole text is never in memory and no long `JSON.parse` blocks the thread. Any other JSON value is returned as `JSON.parse` returns
 * it.
 *
 * The decoder reads every byte of every list, so it is one closure: its state is in local variables, which the engine reads faster than
 * fields of an object. `push` chooses one of the functions below for each part of the text.
 */
export interface ListDecoder {
  push(chunk: Uint8Array): void;
  /** Returns the complete value after the last chunk. Throws SyntaxError if the text is not JSON. */
  end(): unknown;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/**
 * Only this spelling of the key is recognized. A key with escapes stays in the envelope and is parsed with it, which is correct but slower.
 */
const ITEMS = Buffer.from('items');

export function createListDecoder(): ListDecoder {
  /** The text of the list around its elements. */
  const envelope: Buffer[] = [];
  /** The element being read, with one part per chunk that it spans. */
  let element: Buffer[] = [];
  let items: unknown[] | undefined;

  let bytes: Buffer = Buffer.alloc(0);
  /** The position of the first byte that has not been stored yet. */
  let from = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isInItems = false;
  /**
   * State at the top level: whether the next string is a key, how many of its characters match `items` (-1 for a mismatch), and whether the
   * last key was `items`.
   */
  let isKeyNext = false;
  let keyMatch = -1;
  let isItemsNext = false;

  function keepUntil(to: number): void {
    if (to > from) (isInItems ? element : envelope).push(bytes.subarray(from, to));
    from = to;
  }

  function finishElement(): void {
    const text = textOf(element);
    element = [];
    items?.push(JSON.parse(text));
  }

  /** Skips the rest of a string and returns the position to continue from: after its closing quote, or at the end of the chunk. */
  function skipString(start: number): number {
    const end = bytes.length;
    let i = start;
    if (isEscaped && i < end) {
      isEscaped = false;
      i += 1;
    }
    for (; i < end; i += 1) {
      const byte = bytes[i];
      if (byte === QUOTE) {
        isInString = false;
        return i + 1;
      }
      if (byte === BACKSLASH) i += 1;
    }
    isEscaped = i > end;
    return end;
  }

  /** Like `skipString`, for a key of the top-level object: compares the key with `items` while skipping it. */
  function readKey(start: number): number {
    const end = skipString(start);
    const last = isInString ? end : end - 1;
    for (let i = start; i < last && keyMatch >= 0; i += 1) keyMatch = bytes[i] === ITEMS[keyMatch] ? keyMatch + 1 : -1;
    if (isInString) return end;
    isKeyNext = false;
    isItemsNext = keyMatch === ITEMS.length;
    // If a key occurs twice, the last one is used.
    if (isItemsNext) items = undefined;
    return end;
  }

  /** Skips nested content of an element, which makes up almost all bytes, and returns the position to continue from. */
  function skipNested(start: number): number {
    const end = bytes.length;
    let level = depth;
    let i = start;
    while (i < end && level > 2) {
      const byte = bytes[i];
      i += 1;
      if (byte === QUOTE) {
        isInString = true;
        i = skipString(i);
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) level += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) level -= 1;
    }
    depth = level;
    return i;
  }

  /** Handles the byte at `i` outside strings, at the top level or between elements. */
  function readStructure(i: number): void {
    switch (bytes[i]) {
      case QUOTE:
        isInString = true;
        keyMatch = 0;
        return;
      case OPEN_BRACE:
        depth += 1;
        isKeyNext = depth === 1;
        return;
      case OPEN_BRACKET:
        depth += 1;
        if (depth === 2 && isItemsNext) enterItems(i);
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        if (depth === 1 && isInItems) leaveItems(i);
        return;
      case COMMA:
        readComma(i);
        return;
      default:
    }
  }

  function enterItems(at: number): void {
    keepUntil(at + 1);
    isInItems = true;
    items = [];
  }

  function leaveItems(at: number): void {
    keepUntil(at);
    const isEmpty = items?.length === 0 && element.every((part) => part.toString('latin1').trim() === '');
    if (!isEmpty) finishElement();
    element = [];
    isInItems = false;
    isItemsNext = false;
  }

  function readComma(at: number): void {
    if (depth === 2 && isInItems) {
      keepUntil(at);
      from = at + 1;
      finishElement();
    } else if (depth === 1) {
      isKeyNext = true;
      isItemsNext = false;
    }
  }

  function push(chunk: Uint8Array): void {
    bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    from = 0;
    let i = 0;
    while (i < bytes.length) {
      if (isInString) i = isKeyNext && depth === 1 ? readKey(i) : skipString(i);
      else if (isInItems && depth > 2) i = skipNested(i);
      else {
        readStructure(i);
        i += 1;
      }
    }
    keepUntil(bytes.length);
  }

  function end(): unknown {
    const value: unknown = JSON.parse(textOf([...envelope, ...element]));
    return items && typeof value === 'object' && value !== null && 'items' in value ? { ...value, items } : value;
  }

  return { push, end };
}

/** Decodes an element. Most elements are within one chunk and need no copy. */
function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return first && parts.length === 1 ? first.toString('utf8') : Buffer.concat(parts).toString('utf8');
}
