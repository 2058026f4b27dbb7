import { describe, expect, it } from 'vitest';
import { Channel } from './channel.js';

describe('a channel', () => {
  it('delivers the queued items and waits for more', async () => {
    const channel = new Channel<number>(() => undefined);
    channel.push(1);
    setTimeout(() => {
      channel.push(2);
      channel.end();
      channel.push(3);
    });
    const seen: number[] = [];
    for await (const item of channel) seen.push(item);
    expect(seen).toEqual([1, 2]);
  });

  it('ends for a reader that is too far behind, after the queued items', async () => {
    let ends = 0;
    const channel = new Channel<number>(() => ends++);
    for (let i = 0; i < 150_000; i++) channel.push(i);
    let read = 0;
    for await (const _ of channel) read++;
    expect([ends, read]).toEqual([1, 10_001]);
  });

  it('delivers a backlog of any size before queued items, one item for each that is read', async () => {
    const channel = new Channel<number>(() => undefined);
    let made = 0;
    channel.begin(
      (function* () {
        for (; made < 150_000; ) yield ++made;
      })(),
    );
    channel.push(-1);
    channel.end();
    expect([channel.poll(), channel.poll(), made]).toEqual([1, 2, 2]);
    const read: number[] = [];
    for await (const item of channel) read.push(item);
    expect([read.length, read.at(-2), read.at(-1)]).toEqual([149_999, 150_000, -1]);
  });

  it('delivers nothing that was queued after it is cut', async () => {
    const channel = new Channel<number>(() => undefined);
    channel.push(1);
    channel.cut();
    expect(await channel[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  });

  it('accepts an initial state of any size', async () => {
    const channel = new Channel<number>(() => undefined);
    for (let i = 0; i < 150_000; i++) channel.pushInitial(i);
    channel.push(-1);
    channel.end();
    let read = 0;
    for await (const _ of channel) read++;
    expect(read).toBe(150_001);
  });

  it('calls back once when its reader leaves', async () => {
    let ends = 0;
    const channel = new Channel<number>(() => ends++);
    channel.push(1);
    for await (const _ of channel) break;
    channel.end();
    expect(ends).toBe(1);
  });

  it('returns the queued items in order on request, and none if the queue is empty', async () => {
    const channel = new Channel<number>(() => undefined);
    for (const item of [1, 2, 3]) channel.push(item);
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: 1 });
    expect([channel.poll(), channel.poll(), channel.poll()]).toEqual([2, 3, undefined]);
  });

  it('releases a reader that leaves while it waits', async () => {
    const channel = new Channel<number>(() => undefined);
    const reader = channel[Symbol.asyncIterator]();
    const waiting = reader.next();
    await reader.return?.();
    channel.push(1);
    expect([await waiting, await reader.next()]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });
});
