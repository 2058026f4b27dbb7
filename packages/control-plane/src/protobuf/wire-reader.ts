/** Reads protobuf's wire format. Every method throws on bytes that are truncated or invalid. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#at = 0;
    this.#end = bytes.length;
  }

  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  tag(): { readonly number: number; readonly wireType: number } {
    const tag = Number(this.varint());
    return { number: tag >>> 3, wireType: tag & 7 };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined || this.#at > this.#end) throw new Error('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('integer overflow');
  }

  bytes(): Uint8Array {
    const length = Number(this.varint());
    const start = this.#at;
    if (length > this.#end - start) throw new Error('unexpected EOF');
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  double(): number {
    const bytes = this.#fixed(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 1) this.#fixed(8);
    else if (wireType === 2) this.bytes();
    else if (wireType === 5) this.#fixed(4);
    else throw new Error(`unknown wire type ${wireType}`);
  }

  #fixed(length: number): Uint8Array {
    const start = this.#at;
    if (length > this.#end - start) throw new Error('unexpected EOF');
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }
}
