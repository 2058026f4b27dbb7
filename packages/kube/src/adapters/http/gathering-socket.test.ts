import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { gatherReads } from './gathering-socket.js';

/** A socket that counts how often it reads from the operating system, and whose bytes the test provides. */
class TestSocket extends Readable {
  bytesRead = 0;
  reads = 0;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _read(): void {
    this.reads += 1;
  }

  arrive(bytes: number): void {
    this.bytesRead += bytes;
    this.push(Buffer.alloc(bytes));
  }
}

function gathering(): { socket: TestSocket; timers: Set<() => void>; delays: number[]; take: () => number } {
  const socket = new TestSocket();
  const timers = new Set<() => void>();
  const delays: number[] = [];
  const after = (delayMs: number, task: () => void): (() => void) => {
    delays.push(delayMs);
    timers.add(task);
    return () => timers.delete(task);
  };
  gatherReads(socket as unknown as Socket, 500, { after, sleep: () => Promise.resolve(), yield: () => Promise.resolve() });
  const take = (): number => ((socket.read() as Buffer | null) ?? Buffer.alloc(0)).length;
  return { socket, timers, delays, take };
}

describe('a socket that gathers its reads', () => {
  it('reads at once if nothing was read before, and waits after a small read', () => {
    const { socket, timers, delays, take } = gathering();
    take();
    expect([socket.reads, timers.size]).toEqual([1, 0]);
    socket.arrive(700);
    expect([take(), socket.reads, delays]).toEqual([700, 1, [500]]);
    for (const fire of timers) fire();
    expect(socket.reads).toBe(2);
  });

  it('waits once for several records that one read returned, and not at all if they are large together', () => {
    const { socket, timers, delays, take } = gathering();
    take();
    for (let i = 0; i < 10; i++) {
      socket.arrive(700);
      take();
    }
    expect([socket.reads, timers.size, delays]).toEqual([1, 1, [500]]);
    socket.arrive(2_000);
    take();
    expect([socket.reads, timers.size]).toEqual([2, 0]);
  });

  it('reads nothing after it is closed', async () => {
    const { socket, timers, take } = gathering();
    take();
    socket.arrive(700);
    take();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy();
    await closed;
    expect([socket.reads, timers.size]).toEqual([1, 0]);
  });
});
