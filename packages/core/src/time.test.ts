import { describe, expect, it } from 'vitest';
import { calendarDay, daysSinceEpoch, parseTime, roundUpToSecond, toMicroTime, toTime } from './time.js';

const NOON = Date.UTC(2026, 0, 31, 12);

describe('parseTime', () => {
  const table: readonly [text: string | undefined, want: number | undefined][] = [
    ['2026-01-31T12:00:00Z', NOON],
    ['2026-01-31t12:00:00z', NOON],
    ['2026-01-31T14:00:00+02:00', NOON],
    ['2026-01-31T12:00:00.000250Z', NOON],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2026-02-29T00:00:00Z', undefined],
    ['2026-04-31T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-01-31T25:00:00Z', undefined],
    ['2026-01-31', undefined],
    ['31 January 2026', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  it.each(table)('reads %s as %s', (text, want) => expect(parseTime(text)).toBe(want));
});

describe('toTime and toMicroTime', () => {
  it('write whole seconds and microseconds', () => {
    expect(toTime(NOON + 999)).toBe('2026-01-31T12:00:00Z');
    expect(toMicroTime(NOON + 999.5)).toBe('2026-01-31T12:00:00.999000Z');
  });

  it('are parsed to the same instant, to their precision', () => {
    expect(parseTime(toTime(NOON + 999))).toBe(NOON);
    expect(parseTime(toMicroTime(NOON + 999))).toBe(NOON + 999);
  });
});

describe('times that were seen before', () => {
  it('are formatted and parsed as the first time, among more other times than are kept', () => {
    const instants = Array.from({ length: 12_000 }, (_, i) => NOON + i * 1000);
    for (const instant of [...instants, ...instants]) {
      expect(parseTime(toTime(instant + 1))).toBe(instant);
      expect(toTime(instant + 999)).toBe(toTime(instant));
    }
  });

  it('are rejected again if they are no times', () => {
    for (let i = 0; i < 2; i++) expect(parseTime('2026-02-29T00:00:00Z')).toBeUndefined();
  });
});

describe('the rounding of waits', () => {
  it.each([
    [NOON, NOON],
    [NOON + 1, NOON + 1000],
    [NOON + 999, NOON + 1000],
  ])('rounds %i up to %i', (instant, want) => expect(roundUpToSecond(instant)).toBe(want));
});

describe('calendar days', () => {
  it.each([
    [0, { year: 1970, month: 1, day: 1, weekday: 4 }],
    [-1, { year: 1969, month: 12, day: 31, weekday: 3 }],
    [21_243, { year: 2028, month: 2, day: 29, weekday: 2 }],
  ])('%s days since 1970', (days, want) => {
    expect(calendarDay(days)).toEqual(want);
    expect(daysSinceEpoch(want)).toBe(days);
  });
});
