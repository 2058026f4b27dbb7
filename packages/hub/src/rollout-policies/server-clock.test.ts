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

  const SECOND = 1_000;
  /**
   * Sends requests every 100 ms to a server that answers each after `takesMs`. Returns for each request whether the clock was trusted after
   * it.
   */
  async function trustedDuring(offByMs: number, requests: number, takesMs: (i: number) => number): Promise<readonly boolean[]> {
    let serverNow = SERVER;
    const clock = new ServerClock({ now: () => serverNow + offByMs, monotonic: () => 0 });
    let answersIn = 0;
    const transport = {
      send: async () => {
        serverNow += answersIn;
        return { status: 200, headers: { date: new Date(Math.floor(serverNow / SECOND) * SECOND).toUTCString() } };
      },
      close: async () => undefined,
    } as unknown as Transport;
    const observed = clock.observe(transport);
    const trusted: boolean[] = [];
    for (let i = 0; i < requests; i++) {
      answersIn = takesMs(i);
      await observed.send({ method: 'GET', path: '/' } as never);
      trusted.push(clock.isTrusted());
      serverNow += 100;
    }
    return trusted;
  }

  it.each([
    ['31 s ahead', 31, false],
    ['31 s behind', -31, false],
    ['30 s ahead', 30, true],
    ['30 s behind', -30, true],
  ])('that is %s is known after a second, and no slow response changes that', async (_, seconds, isTrusted) => {
    const trusted = await trustedDuring(seconds * SECOND, 40, (i) => (i % 7 === 6 ? 45 * SECOND : 20));
    expect(new Set(trusted.slice(20))).toEqual(new Set([isTrusted]));
  });

  it('that was set is compared anew', async () => {
    let now = SERVER + 60 * SECOND;
    const clock = new ServerClock({ now: () => now, monotonic: () => 0 });
    const transport = { send: async () => ({ status: 200, headers: date }), close: async () => undefined } as unknown as Transport;
    const observed = clock.observe(transport);
    const isTrusted = async (): Promise<boolean> => {
      await observed.send({ method: 'GET', path: '/' } as never);
      return clock.isTrusted();
    };
    expect(await isTrusted()).toBe(false);
    now = SERVER;
    expect(await isTrusted()).toBe(true);
    now = SERVER - 60 * SECOND;
    expect(await isTrusted()).toBe(false);
  });
});
