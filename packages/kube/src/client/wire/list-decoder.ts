const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/**
 * Only this spelling of the key is recognized. A key with escapes is parsed together with the rest of the list, which is correct but
 * slower.
 */
const ITEMS = Buffer.from('items');

/**
 * Parses a Kubernetes list while its bytes arrive. Every element of the top-level `items` array is extracted and parsed separately, so that
 * the whole text is never in memory and no long `JSON.parse` blocks the thread. Any other JSON value is returned as `JSON.parse` returns
 * it. `push` chooses one of the methods below for each part of the text.
 */
export class ListDecoder {
  /** The text of the list around its elements. */
  readonly #envelope: Buffer[] = [];
  /** The element being read, with one part per chunk that it spans. */
  #element: Buffer[] = [];
  #items: unknown[] | undefined;

  #bytes: Buffer = Buffer.alloc(0);
  /** The position in `#bytes` of the first byte that has not been stored yet. */
  #from = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInItems = false;
  /**
   * The state at the top level: whether the next string is a key, how many characters of that key have matched `items` so far (-1 after a
   * mismatch), and whether the last key was `items`.
   */
  #isKeyNext = false;
  #keyMatch = -1;
  #isItemsNext = false;

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#bytes = bytes;
    this.#from = 0;
    let i = 0;
    while (i < bytes.length) {
      if (this.#isInString) i = this.#isKeyNext && this.#depth === 1 ? this.#readKey(i) : this.#skipString(i);
      else if (this.#isInItems && this.#depth > 2) i = this.#skipNested(i);
      else {
        this.#readStructure(i);
        i += 1;
      }
    }
    this.#keepUntil(bytes.length);
  }

  /** Returns the complete value after the last chunk. Throws SyntaxError if the text is not JSON. */
  end(): unknown {
    const value: unknown = JSON.parse(textOf([...this.#envelope, ...this.#element]));
    const items = this.#items;
    return items && typeof value === 'object' && value !== null && 'items' in value ? { ...value, items } : value;
  }

  /** Skips the rest of a string. Returns the position at which to continue: after its closing quote, or at the end of the chunk. */
  #skipString(start: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let i = start;
    if (this.#isEscaped && i < end) {
      this.#isEscaped = false;
      i += 1;
    }
    for (; i < end; i += 1) {
      const byte = bytes[i];
      if (byte === QUOTE) {
        this.#isInString = false;
        return i + 1;
      }
      if (byte === BACKSLASH) i += 1;
    }
    this.#isEscaped = i > end;
    return end;
  }

  /** Skips a key of the top-level object like `#skipString`, and compares the key with `items`. */
  #readKey(start: number): number {
    const end = this.#skipString(start);
    const last = this.#isInString ? end : end - 1;
    for (let i = start; i < last && this.#keyMatch >= 0; i += 1)
      this.#keyMatch = this.#bytes[i] === ITEMS[this.#keyMatch] ? this.#keyMatch + 1 : -1;
    if (this.#isInString) return end;
    this.#isKeyNext = false;
    this.#isItemsNext = this.#keyMatch === ITEMS.length;
    // If a key occurs twice, the last one is used.
    if (this.#isItemsNext) this.#items = undefined;
    return end;
  }

  /** Skips nested content of an element, which makes up almost all bytes of a list. Returns the position at which to continue. */
  #skipNested(start: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let level = this.#depth;
    let i = start;
    while (i < end && level > 2) {
      const byte = bytes[i];
      i += 1;
      if (byte === QUOTE) {
        this.#isInString = true;
        i = this.#skipString(i);
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) level += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) level -= 1;
    }
    this.#depth = level;
    return i;
  }

  /** Handles the byte at `i` outside strings, at the top level or between elements. */
  #readStructure(i: number): void {
    switch (this.#bytes[i]) {
      case QUOTE:
        this.#isInString = true;
        this.#keyMatch = 0;
        return;
      case OPEN_BRACE:
        this.#depth += 1;
        this.#isKeyNext = this.#depth === 1;
        return;
      case OPEN_BRACKET:
        this.#depth += 1;
        if (this.#depth === 2 && this.#isItemsNext) this.#enterItems(i);
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#depth -= 1;
        if (this.#depth === 1 && this.#isInItems) this.#leaveItems(i);
        return;
      case COMMA:
        this.#readComma(i);
        return;
      default:
    }
  }

  #enterItems(at: number): void {
    this.#keepUntil(at + 1);
    this.#isInItems = true;
    this.#items = [];
  }

  #leaveItems(at: number): void {
    this.#keepUntil(at);
    const isEmpty = this.#items?.length === 0 && this.#element.every((part) => part.toString('latin1').trim() === '');
    if (!isEmpty) this.#finishElement();
    this.#element = [];
    this.#isInItems = false;
    this.#isItemsNext = false;
  }

  #readComma(at: number): void {
    if (this.#depth === 2 && this.#isInItems) {
      this.#keepUntil(at);
      this.#from = at + 1;
      this.#finishElement();
    } else if (this.#depth === 1) {
      this.#isKeyNext = true;
      this.#isItemsNext = false;
    }
  }

  #keepUntil(to: number): void {
    if (to > this.#from) (this.#isInItems ? this.#element : this.#envelope).push(this.#bytes.subarray(this.#from, to));
    this.#from = to;
  }

  #finishElement(): void {
    const text = textOf(this.#element);
    this.#element = [];
    this.#items?.push(JSON.parse(text));
  }
}

/** Decodes an element. Most elements are within one chunk and need no copy. */
function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return first && parts.length === 1 ? first.toString('utf8') : Buffer.concat(parts).toString('utf8');
}
