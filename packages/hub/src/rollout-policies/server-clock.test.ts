import type { Transport } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ServerClock } from './server-clock.js';

const SERVER = Date.parse('2026-11-16T05:00:00Z');

/** Sends one request at a local time to a server whose clock shows 2026-11-16T05:00:00Z. */
async function trustedAt(localTime: number, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const clock = new ServerClock({ now: () => localTime, monotonic: () => 0 });
  const transport = { send: async () => ({ status: 200, headers }), close: async () => undefined } as unknown as Transport;
  await clock.observe(transport).send({ method: 'GET', path: '/' } as never);
  return clock.isTrusted();
}

describe('the clock of the manager', () => {
  const date = { date: 'Mon, 16 Nov 2026 05:00:00 GMT' };
  it.each([
    ['agrees', 0, date, true],
    ['is 30 s behind', -30_000, date, true],
    ['is 31 s behind', -31_000, date, false],
    ['is 31 s ahead, of which one is the rounding of the header', 31_000, date, true],
    ['is 32 s ahead', 32_000, date, false],
    ['cannot be compared without a header', 3_600_000, {}, true],
    ['cannot be compared with a header that is no time', 3_600_000, { date: 'yesterday' }, true],
  ])('%s', async (_, offByMs, headers, isTrusted) => {
    expect(await trustedAt(SERVER + offByMs, headers as Readonly<Record<string, string>>)).toBe(isTrusted);
  });
});
