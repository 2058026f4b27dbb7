import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDurations, closedDurations, KEPT_VALUES } from './durations.js';

/** The exact percentile of all values: the smallest value that at least `percent` percent of the values do not exceed. */
function exactly(all: readonly number[], percent: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
}

const batches = (max: number) =>
  fc.array(fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 30 });

describe('the durations of a target', () => {
  it('are exact while the values fit, in whatever portions they arrive', () => {
    fc.assert(
      fc.property(batches(KEPT_VALUES - 1), (portions) => {
        const found = portions.reduce(addDurations, undefined as ReturnType<typeof addDurations>);
        const all = portions.flat();
        expect(found).toMatchObject({ p50: exactly(all, 50), p90: exactly(all, 90), max: Math.max(...all) });
      }),
    );
  });

  it('stay bounded and ordered, and count every cluster once, however many values there are', () => {
    fc.assert(
      fc.property(batches(100_000), (portions) => {
        const found = portions.reduce(addDurations, undefined as ReturnType<typeof addDurations>);
        const values = found?.values ?? [];
        const all = portions.flat();
        expect(values.length).toBeLessThanOrEqual(KEPT_VALUES);
        expect(values.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(all.length);
        expect(values.map(({ seconds }) => seconds)).toEqual([...new Set(values.map(({ seconds }) => seconds))].sort((a, b) => a - b));
        expect(found?.max).toBe(Math.max(...all));
        expect(found?.p50).toBeLessThanOrEqual(found?.p90 ?? 0);
        expect(found?.p90).toBeLessThanOrEqual(found?.max ?? 0);
      }),
    );
  });

  it('are absent until a cluster arrives, and lose their values at the end', () => {
    expect(addDurations(undefined, [])).toBeUndefined();
    const found = addDurations(undefined, [1.4, -3, 10]);
    expect(found).toEqual({ p50: 1, p90: 10, max: 10, values: [0, 1, 10].map((seconds) => ({ seconds, clusters: 1 })) });
    expect(found && closedDurations(found)).toEqual({ p50: 1, p90: 10, max: 10 });
  });
});
