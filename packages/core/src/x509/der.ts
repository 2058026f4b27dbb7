/**
 * DER functions that the library lacks: wrapping the older private key formats as PKCS#8, and strict checks of the bytes around a
 * signature.
 */

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array<ArrayBuffer>;
  /** The tag, length and content. */
  readonly whole: Uint8Array<ArrayBuffer>;
}

export const TAG = { integer: 0x02, bitString: 0x03, octetString: 0x04, null: 0x05, oid: 0x06, sequence: 0x30, context0: 0xa0 } as const;

/** Returns the consecutive values in `bytes`. Throws if one is truncated. */
export function readDer(bytes: Uint8Array<ArrayBuffer>): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { length, headerLength } = readLength(bytes, at + 1);
    const start = at + 1 + headerLength;
    const end = start + length;
    if (end > bytes.length) throw new Error('DER value is cut short');
    values.push({ tag: bytes[at] ?? 0, content: bytes.slice(start, end), whole: bytes.slice(at, end) });
    at = end;
  }
  return values;
}

/** Returns the members of the sequence in `bytes`. */
export function readSequence(bytes: Uint8Array<ArrayBuffer>): DerValue[] {
  const [sequence, ...rest] = readDer(bytes);
  if (sequence?.tag !== TAG.sequence || rest.length > 0) throw new Error('DER value is not one sequence');
  return readDer(sequence.content);
}

export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concat(parts);
  return concat([Uint8Array.of(tag), encodeLength(content.length), content]);
}

function readLength(bytes: Uint8Array, at: number): { length: number; headerLength: number } {
  const first = bytes[at];
  if (first === undefined) throw new Error('DER value is cut short');
  if (first < 0x80) return { length: first, headerLength: 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + count >= bytes.length) throw new Error('DER length is malformed');
  let length = 0;
  for (const byte of bytes.subarray(at + 1, at + 1 + count)) length = length * 256 + byte;
  return { length, headerLength: 1 + count };
}

function encodeLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
