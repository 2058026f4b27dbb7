import { describe, expect, it } from 'vitest';
import { parseCron, startsFrom } from './cron.js';

describe('startsFrom', () => {
  it.each([
    ['0 0 29 2 *', '2096-03-01', '2104-02-29', '2096-02-29'],
    ['0 0 29 2 */7', '2088-03-01', '2128-02-29', '2088-02-29'],
    ['0 0 1 1 */7', '2023-01-02', '2034-01-01', '2023-01-01'],
    ['0 0 29 2 0', '2026-01-01', '2026-02-01', '2025-02-23'],
  ])('finds the starts of %s however far apart they are', (text, from, next, previous) => {
    const parsed = parseCron(text);
    if ('problem' in parsed) throw new Error(parsed.problem);
    const first = (direction: 'forward' | 'backward'): string | undefined => {
      const { value } = startsFrom(parsed.schedule, Date.parse(from), direction).next();
      return value === undefined ? undefined : new Date(value).toISOString().slice(0, 10);
    };
    expect([first('forward'), first('backward')]).toEqual([next, previous]);
  });
});
