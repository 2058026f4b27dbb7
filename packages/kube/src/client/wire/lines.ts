const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines. Between two chunks, only the incomplete last line is in memory. Empty lines are left out. */
export interface LineSplitter {
  /** Returns the decoded lines that `chunk` completes. */
  push(chunk: Uint8Array): string[];
  /** Returns the last line of the stream, if the stream ended without a newline. */
  rest(): string | undefined;
}

/** Creates a splitter. It throws if a line is longer than `maxBytes`, so that a peer cannot use up memory by never ending a line. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  function take(last: Buffer): string {
    if (pendingBytes === 0) return last.toString('utf8');
    const line = Buffer.concat([...pending, last]).toString('utf8');
    pending = [];
    pendingBytes = 0;
    return line;
  }

  function bound(bytes: number): void {
    if (bytes > maxBytes) throw new RangeError(`a line of the stream is longer than ${maxBytes} bytes`);
  }

  return {
    push(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: string[] = [];
      let start = 0;
      for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, start)) {
        bound(pendingBytes + end - start);
        const line = take(buffer.subarray(start, end));
        if (line.length > 0) lines.push(line);
        start = end + 1;
      }
      if (start < buffer.length) {
        pending.push(buffer.subarray(start));
        pendingBytes += buffer.length - start;
        bound(pendingBytes);
      }
      return lines;
    },
    rest() {
      const line = take(Buffer.alloc(0));
      return line.length > 0 ? line : undefined;
    },
  };
}
