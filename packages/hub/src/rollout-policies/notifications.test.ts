import type { AddressedNotification } from '@outrigger/rules/policy';
import { describe, expect, it } from 'vitest';
import { type NotificationTarget, Notifications } from './notifications.js';

const one: AddressedNotification = {
  urls: ['chat'],
  notification: {
    version: 1,
    event: 'Halted',
    addOn: 'hello',
    entry: 'default/all',
    revision: 2,
    message: 'm',
    at: '2026-11-16T08:00:00Z',
  },
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function sending(results: readonly ('ok' | 'fails')[]) {
  const bodies: string[] = [];
  const waits: number[] = [];
  const warnings: string[] = [];
  const left = [...results];
  const target = {
    send: async (body: string) => {
      bodies.push(body);
      if (left.shift() === 'fails') throw new Error('status 500');
    },
  };
  const timers = { sleep: async (ms: number) => void waits.push(ms) };
  const notifications = new Notifications(new Map([['chat', target]]), timers, {
    warn: (_: object, text: string) => void warnings.push(text),
  });
  const stop = notifications.start();
  return { bodies, waits, warnings, stop, notify: (...all: AddressedNotification[]) => notifications.notify(all, {} as never) };
}

describe('notifications', () => {
  it('are sent as JSON, one request per address', async () => {
    const { bodies, notify } = sending([]);
    await notify(one, one);
    await settled();
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([one.notification, one.notification]);
  });

  it.each<[string, readonly ('ok' | 'fails')[], number, readonly string[]]>([
    ['are repeated after a failure', ['fails', 'ok'], 2, []],
    ['are given up after three attempts, with a log line', ['fails', 'fails', 'fails'], 3, ['a notification could not be delivered']],
  ])('%s', async (_, results, attempts, warnings) => {
    const sent = sending(results);
    await sent.notify(one);
    await settled();
    expect([sent.bodies.length, sent.warnings, sent.waits]).toEqual([attempts, warnings, [5_000, 30_000].slice(0, attempts - 1)]);
  });

  it('to an unknown address are reported in the log', async () => {
    const { bodies, warnings, notify } = sending([]);
    await notify({ ...one, urls: ['pager'] });
    expect([bodies, warnings.length]).toEqual([[], 1]);
  });

  it('to an address that never answers do not use up the room of other addresses', async () => {
    const bodies: string[] = [];
    const warnings: object[] = [];
    const targets = new Map<string, NotificationTarget>([
      ['chat', { send: async (body: string) => void bodies.push(body) }],
      ['dead', { send: () => new Promise<never>(() => undefined) }],
    ]);
    const notifications = new Notifications(targets, { sleep: async () => undefined }, { warn: (fields) => void warnings.push(fields) });
    const both = Array.from({ length: 101 }, () => ({ ...one, urls: ['dead', 'chat'] }));
    for (const some of both) {
      await notifications.notify([some], {} as never);
      await settled();
    }
    expect([bodies.length, warnings]).toEqual([101, [{ url: 'dead' }]]);
  });

  it('end with the manager, without a log line', async () => {
    const sent = sending(['fails', 'fails', 'fails']);
    sent.stop();
    await sent.notify(one);
    await settled();
    expect([sent.bodies.length, sent.warnings]).toEqual([1, []]);
  });
});
