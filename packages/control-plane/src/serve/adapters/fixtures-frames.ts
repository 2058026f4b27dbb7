/** HTTP/2 frames as bytes, for tests with clients that violate the protocol. */

export const FRAME = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, windowUpdate: 8, continuation: 9 } as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;

/** Returns a frame: length, type, flags, stream, payload. */
export function frame(type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** Returns the connection preface, which a client sends first. */
export function preface(...settings: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(FRAME.settings, 0, Buffer.concat(settings))]);
}

/** Encodes a string of at most 16,510 bytes in HPACK, without Huffman coding. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest = bytes.length - 127;
  return Buffer.concat([Buffer.from([127, (rest & 127) | 128, rest >> 7]), bytes]);
}

/** Encodes a header that HPACK does not index. */
export function header(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** Encodes a header that HPACK adds to its table. `INDEXED` refers to the header that was added last. */
export function indexedHeader(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
}
export const INDEXED: Buffer = Buffer.from([0x80 | 62]);

/** Encodes the pseudo headers of `GET /x` or `POST /x`. */
export function requestLine(method: 'GET' | 'POST' = 'GET'): Buffer {
  return Buffer.concat([Buffer.from([method === 'GET' ? 0x82 : 0x83, 0x87, 0x04]), text('/x'), Buffer.from([0x01]), text('hub')]);
}
