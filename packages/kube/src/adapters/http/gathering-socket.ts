import type { Socket } from 'node:net';
import type { Cancel, Timers } from '@outrigger/core';

/** If a read returned at least this much, more bytes may be waiting: Node reads at most 16 kB at once from a TLS connection. */
const LARGE_READ_BYTES = 8 * 1024;

/**
 * Makes a socket wait after each read, so that the operating system collects the bytes that arrive meanwhile, and the process wakes up only
 * once for many events. The socket does not wait after a large read. The socket must not read ahead (`highWaterMark`).
 */
export function gatherReads(socket: Socket, gatherMs: number, timers: Timers): void {
  const read = socket._read.bind(socket);
  let bytesBefore = socket.bytesRead;
  let cancel: Cancel | undefined;
  const readNow = (size: number): void => {
    cancel = undefined;
    bytesBefore = socket.bytesRead;
    read(size);
  };
  socket._read = (size) => {
    const bytes = socket.bytesRead - bytesBefore;
    if (bytes > 0 && bytes < LARGE_READ_BYTES) {
      cancel ??= timers.after(gatherMs, () => readNow(size));
      return;
    }
    cancel?.();
    readNow(size);
  };
  socket.once('close', () => cancel?.());
}
