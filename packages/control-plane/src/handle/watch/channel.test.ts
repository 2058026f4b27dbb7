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
    expect([ends, read]).toEqual([1, 100_001]);
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
