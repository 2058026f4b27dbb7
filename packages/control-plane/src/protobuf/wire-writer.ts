const CONTINUES = 0x80;
const HIGH_HALF = 2 ** 32;

/**
 * Writes protobuf's wire format from back to front, because a message's length precedes it and is known only after it is written. Fields,
 * and the parts of a field, must therefore be written in reverse order.
 */
export class WireWriter {
  #buffer: Buffer = Buffer.allocUnsafe(1024);
  /** The offset of the first byte in use. */
  #start = 1024;

  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Returns the written bytes. The writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#buffer.subarray(this.#start);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#start);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#buffer.write(text, this.#start, length, 'utf8');
  }

  /** Writes a varint. Negative numbers are written as 64 bits, in ten bytes. */
  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value < HIGH_HALF) this.#small(value);
    else this.#large(BigInt.asUintN(64, BigInt(value)));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  tag(number: number, wireType: 0 | 1 | 2): void {
    this.#small(number * 8 + wireType);
  }

  /** Writes a length-delimited field. `write` writes its content. */
  delimited(number: number, write: () => void): void {
    const before = this.length;
    write();
    this.varint(this.length - before);
    this.tag(number, 2);
  }

  textField(number: number, text: string): void {
    this.delimited(number, () => this.text(text));
  }

  varintField(number: number, value: number | bigint): void {
    this.varint(value);
    this.tag(number, 0);
  }

  #small(value: number): void {
    let size = 1;
    for (let rest = value; rest >= CONTINUES; rest = Math.floor(rest / CONTINUES)) size++;
    this.#reserve(size);
    let rest = value;
    for (let at = this.#start; ; at++) {
      const byte = rest % CONTINUES;
      rest = Math.floor(rest / CONTINUES);
      this.#buffer[at] = rest > 0 ? byte + CONTINUES : byte;
      if (rest === 0) return;
    }
  }

  #large(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = value; ; ) {
      const byte = Number(rest & 0x7fn);
      rest >>= 7n;
      bytes.push(rest > 0n ? byte + CONTINUES : byte);
      if (rest === 0n) break;
    }
    this.bytes(Uint8Array.from(bytes));
  }

  #reserve(size: number): void {
    if (size > this.#start) {
      const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + size + 1024));
      this.#buffer.copy(grown, grown.length - this.length, this.#start);
      this.#start = grown.length - this.length;
      this.#buffer = grown;
    }
    this.#start -= size;
  }
}
