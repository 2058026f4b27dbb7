/** One field as it stands on the wire, before anybody knows what it means. */
export interface WireField {
  readonly number: number;
  /** A varint or fixed number, or the bytes of a string, message or packed list. */
  readonly value: bigint | Uint8Array;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Reads a message's fields in order. Throws on bytes that are no message. */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    yield { number: tag >>> 3, value: reader.value(tag & 7) };
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  value(wireType: number): bigint | Uint8Array {
    switch (wireType) {
      case VARINT:
        return this.varint();
      case BYTES:
        return this.#take(Number(this.varint()));
      case FIXED64:
        return this.#view.getBigUint64(this.#skip(8), true);
      case FIXED32:
        return BigInt(this.#view.getUint32(this.#skip(4), true));
      default:
        throw new Error(`unknown wire type ${wireType} at byte ${this.#at}`);
    }
  }

  varint(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('the message ends in the middle of a number');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, result);
    }
    throw new Error(`a number of more than ten bytes at byte ${this.#at}`);
  }

  #take(length: number): Uint8Array {
    const start = this.#skip(length);
    return this.#bytes.subarray(start, start + length);
  }

  #skip(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new Error(`the message ends ${start + length - this.#bytes.length} bytes too early`);
    this.#at = start + length;
    return start;
  }
}
