import { compileLabelSelector } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CronSchedule, type Zone, parseCron, zoneOf } from '@outrigger/api';
import { type GatedCluster, type Window, stateAt, windowGate } from './windows.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string): number => Date.parse(text);
const cluster: GatedCluster = { name: 'c1', labels: { region: 'eu' }, annotations: {} };

function scheduleOf(text: string): CronSchedule {
  const parsed = parseCron(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.schedule;
}

function zone(name: string): Zone {
  const found = zoneOf(name);
  if (!found) throw new Error(`unknown zone ${name}`);
  return found;
}

function recurring(text: string, durationMs: number, rest: Partial<Window> & { readonly in?: string } = {}): Window {
  const { in: zoneName = 'UTC', ...window } = rest;
  return {
    name: text,
    effect: 'Allow',
    times: { type: 'Recurring', schedule: scheduleOf(text), durationMs },
    operations: ['Upgrade'],
    lastAdmissionMs: 0,
    zoneFor: () => zone(zoneName),
    ...window,
  };
}

describe('parseCron', () => {
  it.each([
    ['* * * *', 'has 4 fields; a schedule has five'],
    ['@daily', 'has 1 fields'],
    ['60 * * * *', 'minute "60": use *, a value from 0 to 59'],
    ['0 24 * * *', 'hour "24"'],
    ['0 0 0 * *', 'day of month "0"'],
    ['0 0 * 13 *', 'month "13"'],
    ['0 0 * * 8', 'day of week "8"'],
    ['5-1 * * * *', 'minute "5-1"'],
    ['*/0 * * * *', 'minute "*/0"'],
    ['1/5 * * * *', 'minute "1/5"'],
    ['0 0 L * *', 'day of month "L"'],
    ['0 0 30 2 *', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'never fires'],
  ])('refuses %s', (text, problem) => {
    const parsed = parseCron(text);
    expect('problem' in parsed ? parsed.problem : '').toContain(problem);
  });

  it.each([
    ['0 0 29 2 *', '2026-11-16T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 13 * 5', '2026-11-10T00:00:00Z', '2026-11-13T00:00:00Z'],
    ['0 0 13 * fri', '2026-11-13T00:00:00Z', '2026-11-20T00:00:00Z'],
    ['0 22 * * 1-5', '2026-11-13T22:00:00Z', '2026-11-16T22:00:00Z'],
    ['0 0 * * 7', '2026-11-16T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['*/20 9-10 1 JAN *', '2026-01-01T10:20:00Z', '2026-01-01T10:40:00Z'],
  ])('%s after %s starts at %s', (text, after, want) => {
    const { changesAt = Number.NaN } = stateAt(recurring(text, 1), cluster, at(after) + 1);
    expect(new Date(changesAt).toISOString()).toBe(new Date(want).toISOString());
  });
});

describe('a window in a zone with daylight saving', () => {
  it.each([
    ['a start in the skipped hour begins when the clock jumps', '30 2 * * *', '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z'],
    ['a start in the doubled hour begins once, in the first pass', '30 2 * * *', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z'],
    ['the next one after the doubled hour is a day later', '30 2 * * *', '2026-10-25T00:31:00Z', '2026-10-26T01:30:00Z'],
  ])('%s', (_, text, after, want) => {
    const { changesAt = Number.NaN } = stateAt(recurring(text, MINUTE, { in: 'Europe/Berlin' }), cluster, at(after));
    expect(new Date(changesAt).toISOString()).toBe(new Date(want).toISOString());
  });

  it('lasts its duration in elapsed time, across the change of the clock', () => {
    const night = recurring('0 22 * * *', 8 * HOUR, { in: 'Europe/Berlin' });
    expect(stateAt(night, cluster, at('2026-03-29T04:59:00Z'))).toEqual({ isOpen: true, changesAt: at('2026-03-29T05:00:00Z') });
    expect(stateAt(night, cluster, at('2026-10-25T03:59:00Z'))).toEqual({ isOpen: true, changesAt: at('2026-10-25T04:00:00Z') });
  });
});

describe('windowGate', () => {
  const upgrade = { operation: 'Upgrade', now: at('2026-11-18T12:00:00Z') } as const;
  const gate = (...windows: readonly Window[]) => windowGate([{ policy: 'p', windows }], cluster, upgrade);
  const open = recurring('0 * * * *', HOUR);
  const evenings = recurring('0 18 * * *', 2 * HOUR, { name: 'evenings' });
  const freeze: Window = {
    ...open,
    name: 'freeze',
    effect: 'Deny',
    times: { type: 'Once', from: { wall: at('2026-11-18T00:00:00Z') }, until: { instant: at('2026-11-18T19:00:00Z') } },
  };

  it.each([
    { name: 'no windows', windows: [], want: 'open' },
    { name: 'an open Allow window', windows: [open], want: 'open' },
    { name: 'a closed Allow window', windows: [evenings], want: 'evenings until 2026-11-18T18:00:00.000Z' },
    { name: 'one of two Allow windows is enough', windows: [evenings, open], want: 'open' },
    { name: 'Deny wins over Allow', windows: [open, freeze], want: 'freeze until 2026-11-18T19:00:00.000Z' },
    {
      name: 'the opening is after the freeze and inside an Allow window',
      windows: [evenings, { ...freeze, times: { ...freeze.times, until: { instant: at('2026-11-18T21:00:00Z') } } as Window['times'] }],
      want: 'freeze, evenings until 2026-11-19T18:00:00.000Z',
    },
    {
      name: 'windows that exclude each other for ever',
      windows: [evenings, { ...open, name: 'never', effect: 'Deny' }],
      want: 'never, evenings',
    },
    {
      name: 'a window for other clusters',
      windows: [{ ...evenings, clusters: compileLabelSelector({ matchLabels: { region: 'us' } }) }],
      want: 'open',
    },
    { name: 'a window for another operation', windows: [{ ...evenings, operations: ['Remove'] }], want: 'open' },
    {
      name: 'the last hour of a window admits no cluster',
      windows: [recurring('0 10 * * *', 3 * HOUR, { name: 'late', lastAdmissionMs: HOUR })],
      want: 'late until 2026-11-19T10:00:00.000Z',
    },
    { name: 'overlapping windows unite', windows: [recurring('0 10,11 * * *', 2 * HOUR, { lastAdmissionMs: 30 * MINUTE })], want: 'open' },
    {
      name: 'a period that is over',
      windows: [{ ...freeze, effect: 'Allow', times: { type: 'Once', from: { instant: 0 }, until: { instant: 1 } } }],
      want: 'freeze',
    },
  ] as { name: string; windows: Window[]; want: string }[])('$name', ({ windows, want }) => {
    const found = gate(...windows);
    const text = found.isOpen
      ? 'open'
      : `${found.heldBy.map(({ window }) => window).join(', ')}${found.opensAt === undefined ? '' : ` until ${new Date(found.opensAt).toISOString()}`}`;
    expect(text).toBe(want);
  });

  it('needs an open Allow window of every policy that has one for the cluster', () => {
    const policies = [
      { policy: 'a', windows: [open] },
      { policy: 'b', windows: [evenings] },
    ];
    expect(windowGate(policies, cluster, upgrade)).toMatchObject({ isOpen: false, heldBy: [{ policy: 'b', window: 'evenings' }] });
  });
});

const SIX_HOURS = 6 * 60;

/** Evaluates windows minute by minute over two years, without any code of the implementation under test. */
class BruteForceClock {
  static readonly from = Date.UTC(2027, 0, 1);
  static readonly minutes = 2 * 366 * 24 * 60;
  /** For each minute, the minute that a wall clock shows, as minutes since 1970. */
  readonly walls: Int32Array;

  constructor(zoneName: string) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zoneName, dateStyle: 'short', timeStyle: 'short' });
    this.walls = new Int32Array(BruteForceClock.minutes);
    const wallAt = (minute: number): number =>
      Date.parse(`${format.format(BruteForceClock.from + minute * MINUTE).replace(' ', 'T')}Z`) / MINUTE;
    // A time zone changes its offset at a quarter of an hour, and at most once in six hours. The wall clock is read at every quarter of an
    // hour only in those six hours in which the offset changes.
    for (let start = 0; start < BruteForceClock.minutes; start += SIX_HOURS) {
      const first = wallAt(start);
      const step = wallAt(start + SIX_HOURS) === first + SIX_HOURS ? SIX_HOURS : 15;
      for (let part = start; part < start + SIX_HOURS; part += step) {
        const wall = part === start ? first : wallAt(part);
        for (let i = 0; i < step; i++) this.walls[part + i] = wall + i;
      }
    }
  }

  /** Whether a window is open in each minute. */
  open(matches: (wallMinute: number) => boolean, durationMinutes: number): Uint8Array {
    const result = new Uint8Array(BruteForceClock.minutes);
    let shown = (this.walls[0] ?? 0) - 1;
    let openUntil = -1;
    for (let minute = 0; minute < result.length; minute++) {
      const wall = this.walls[minute] ?? 0;
      // A wall-clock minute later than all minutes seen so far is either new or was skipped by a clock change. In both cases a window that
      // starts in it starts now.
      for (let fresh = shown + 1; fresh <= wall; fresh++) if (matches(fresh)) openUntil = minute + durationMinutes;
      shown = Math.max(shown, wall);
      if (minute < openUntil) result[minute] = 1;
    }
    return result;
  }
}

describe('a window agrees with a clock that is read minute by minute over two years', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Santiago'])('%s', (name) => {
    const clock = new BruteForceClock(name);
    const list = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(',')),
        fc.integer({ min: 2, max: 9 }).map((step) => `*/${step}`),
      );
    const cron = fc.tuple(list(0, 59), fc.oneof(list(0, 23), list(0, 4)), list(1, 31), list(1, 12), list(0, 7));
    fc.assert(
      fc.property(
        cron,
        fc.integer({ min: 1, max: 3000 }),
        fc.infiniteStream(fc.nat(BruteForceClock.minutes - 5000)),
        (fields, minutes, probes) => {
          const parsed = parseCron(fields.join(' '));
          fc.pre(!('problem' in parsed));
          const open = clock.open(matcherOf(fields), minutes);
          const window = recurring(fields.join(' '), minutes * MINUTE, { in: name });
          for (const probe of take(probes, 20)) {
            // The brute-force clock does not see windows that opened before its first minute.
            const minute = probe + 3500 > BruteForceClock.minutes ? probe : probe + 3000;
            const state = stateAt(window, cluster, BruteForceClock.from + minute * MINUTE);
            expect([minute, state.isOpen]).toEqual([minute, open[minute] === 1]);
            if (state.changesAt === undefined) continue;
            const change = (state.changesAt - BruteForceClock.from) / MINUTE;
            const end = Math.min(change, BruteForceClock.minutes);
            const changed = open.indexOf(state.isOpen ? 0 : 1, minute);
            if (changed >= 0 && changed < end) expect(`changes at ${change}`).toBe(`changed at ${changed}`);
            if (change < BruteForceClock.minutes) expect(open[change] === 1).toBe(!state.isOpen);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

function* take<T>(values: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}

it.each(['* * * * *', '*/2 * * * *', '0 22 * * *', '30 8-18 1 */3 *'])(
  'AT-53 the state of "%s" takes a few steps, however often it starts',
  (text) => {
    let steps = 0;
    const berlin = zone('Europe/Berlin');
    const counting: Zone = {
      name: berlin.name,
      wallAt: (instant) => (steps++, berlin.wallAt(instant)),
      instantAt: (wall) => (steps++, berlin.instantAt(wall)),
    };
    const window = recurring(text, 30_000, { zoneFor: () => counting });
    for (const instant of ['2026-11-16T23:59:10Z', '2026-11-17T12:00:40Z', '2026-12-31T21:00:10Z']) {
      steps = 0;
      stateAt(window, cluster, at(instant));
      expect(steps).toBeLessThan(20);
    }
  },
);

it.each(['UTC', 'Europe/Berlin'])('a window that starts every minute of many days closes at the end of the last day, in %s', (name) => {
  const freeze = recurring('* * 20-31 12 *', MINUTE, { effect: 'Deny', in: name });
  const newYear = zone(name).instantAt(at('2027-01-01T00:00:00Z'));
  for (const now of [at('2026-12-20T12:00:00Z'), at('2026-12-30T12:00:00Z')]) {
    expect(stateAt(freeze, cluster, now)).toEqual({ isOpen: true, changesAt: newYear });
    expect(windowGate([{ policy: 'p', windows: [freeze] }], cluster, { operation: 'Upgrade', now })).toMatchObject({ opensAt: newYear });
  }
  // In the hour that occurs twice the schedule starts once, so the window has a gap there.
  const always = stateAt(recurring('* * * * *', MINUTE, { in: name }), cluster, at('2026-11-16T00:00:00Z'));
  expect(always).toEqual({ isOpen: true, changesAt: name === 'UTC' ? undefined : at('2027-10-31T01:00:00Z') });
});

it('windows that exclude each other are found in few steps, even beside a window that is always open', () => {
  let steps = 0;
  const berlin = zone('Europe/Berlin');
  const counting: Zone = {
    name: berlin.name,
    wallAt: (instant) => (steps++, berlin.wallAt(instant)),
    instantAt: (wall) => (steps++, berlin.instantAt(wall)),
  };
  const zoneFor = (): Zone => counting;
  const windows = [recurring('0 2 * * *', HOUR, { zoneFor }), recurring('0 2 * * *', HOUR, { effect: 'Deny', zoneFor })];
  const policies = [
    { policy: 'always', windows: [recurring('* * * * *', HOUR, { zoneFor })] },
    { policy: 'never', windows },
  ];
  const found = windowGate(policies, cluster, { operation: 'Upgrade', now: at('2026-11-16T00:00:00Z') });
  expect(found).toMatchObject({ isOpen: false, opensAt: undefined });
  expect(steps).toBeLessThan(100_000);
});

/**
 * An independent implementation of cron's rule: returns whether a wall-clock minute matches lists, steps and stars. It evaluates each day
 * once.
 */
function matcherOf([minute = '*', hour = '*', day = '*', month = '*', weekday = '*']: readonly string[]): (wallMinute: number) => boolean {
  const matches = (text: string, value: number, min: number): boolean =>
    text.startsWith('*') ? (value - min) % Number(text.slice(2) || 1) === 0 : text.split(',').some((item) => Number(item) === value);
  const minutesOfDay = Array.from({ length: 1440 }, (_, i) => matches(minute, i % 60, 0) && matches(hour, Math.floor(i / 60), 0));
  const isEither = !day.startsWith('*') && !weekday.startsWith('*');
  const days = new Map<number, boolean>();
  const matchesDay = (number: number): boolean => {
    const date = new Date(number * 24 * HOUR);
    const isDay = matches(day, date.getUTCDate(), 1);
    const isWeekday = matches(weekday, date.getUTCDay(), 0) || (date.getUTCDay() === 0 && matches(weekday, 7, 0));
    return matches(month, date.getUTCMonth() + 1, 1) && (isEither ? isDay || isWeekday : isDay && isWeekday);
  };
  return (wall) => {
    if (!minutesOfDay[wall % 1440]) return false;
    const number = Math.floor(wall / 1440);
    const known = days.get(number) ?? matchesDay(number);
    days.set(number, known);
    return known;
  };
}
