import type { WatchEvent } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { decode } from './decode.js';

/** A clock that advances by `costMs` each time it is read, and timers that record the calls of `yield` and `sleep`. */
function busyRuntime(costMs: number) {
  let now = 0;
  let rests = 0;
  const sleeps: number[] = [];
  const runtime = {
    clock: { now: () => now, monotonic: () => (now += costMs) },
    timers: {
      after: () => () => undefined,
      sleep: async (delayMs: number) => void sleeps.push(delayMs),
      yield: async () => {
        rests += 1;
      },
    },
  };
  return { runtime, rests: () => rests, sleeps };
}

async function* chunks(text: string, count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) yield Buffer.from(text);
}

const answer = (body: AsyncIterable<Uint8Array>) => ({ status: 200, headers: { 'content-type': 'application/json' }, body });

describe('decoding while bytes keep arriving', () => {
  it('yields to other tasks while it decodes a long list', async () => {
    const { runtime, rests } = busyRuntime(8);
    async function* list(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"items":[0');
      yield* chunks(',1', 20);
      yield Buffer.from(']}');
    }
    const { body } = await decode({ method: 'GET', path: '/' }, answer(list()), { runtime, server: 's', maxLineBytes: 100 });
    expect(body).toEqual({ items: [0, ...Array(20).fill(1)] });
    expect(rests()).toBe(22);
  });

  it('yields to other tasks while it decodes a long watch, and not before', async () => {
    const line = '{"type":"BOOKMARK","object":{}}\n';
    for (const { costMs, wanted } of [
      { costMs: 0.01, wanted: 0 },
      { costMs: 8, wanted: 20 },
    ]) {
      const { runtime, rests } = busyRuntime(costMs);
      const response = await decode({ method: 'GET', path: '/', watch: true }, answer(chunks(line, 20)), {
        runtime,
        server: 's',
        maxLineBytes: 100,
      });
      const seen: WatchEvent[] = [];
      for await (const event of response.events ?? []) seen.push(event);
      expect([seen.length, rests()]).toEqual([20, wanted]);
    }
  });
});

describe('a watch that gathers events', () => {
  const line = '{"type":"BOOKMARK","object":{}}\n';
  const read = async (bodies: readonly string[], gatherMs?: number): Promise<[events: number, sleeps: readonly number[]]> => {
    const { runtime, sleeps } = busyRuntime(0.01);
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const text of bodies) yield Buffer.from(text);
    }
    const request = { method: 'GET', path: '/', watch: true, ...(gatherMs === undefined ? {} : { gatherMs }) } as const;
    const { events = [] } = await decode(request, answer(body()), { runtime, server: 's', maxLineBytes: 100 });
    let count = 0;
    for await (const _ of events) count += 1;
    return [count, sleeps];
  };

  it('waits after each small read, and delivers every event', async () => {
    expect(await read([line, line + line, line], 500)).toEqual([4, [500, 500, 500]]);
  });

  it('does not wait after a large read, so that it keeps up with any number of events', async () => {
    const many = line.repeat(2_000);
    expect(await read([many, many, line], 500)).toEqual([4_001, [500]]);
  });

  it('is only for requests that ask for it', async () => {
    expect(await read([line, line])).toEqual([2, []]);
  });
});
