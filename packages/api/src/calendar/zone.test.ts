import { expect, it } from 'vitest';
import { zoneOf } from './zone.js';

/**
 * Times near changes of daylight saving time, near a move across the date line and near the ends of years, and times long before and after
 * the present.
 */
const INSTANTS: readonly number[] = [
  '1969-12-31T23:45:00Z',
  '1995-01-01T00:00:00Z',
  '2011-12-30T09:45:00Z',
  '2026-03-29T00:45:00Z',
  '2026-03-29T01:00:00Z',
  '2026-12-31T23:45:00Z',
  '2028-02-29T12:00:00Z',
  '2199-07-01T00:15:00Z',
].map((text) => Date.parse(text));

it('the wall clock of every zone shows what its parts say', () => {
  const different: string[] = [];
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
    for (const instant of INSTANTS) {
      const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
      const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
      const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
      if (zoneOf(timeZone)?.wallAt(instant) !== shown) different.push(`${timeZone} at ${new Date(instant).toISOString()}`);
    }
  }
  expect(different).toEqual([]);
});
