import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowWindow } from './row-window.js';

test('a window covers what is visible, and its heights add up to those of all rows', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 20_000 }),
      fc.integer({ min: -5_000, max: 800_000 }),
      fc.integer({ min: 0, max: 3_000 }),
      (count, scrolled, visible) => {
        const height = 28;
        const { from, to, before, after } = rowWindow(count, height, scrolled, visible);
        expect(before + (to - from) * height + after).toBe(count * height);
        expect(from).toBeLessThanOrEqual(to);
        const end = Math.min(count * height, scrolled + visible);
        const start = Math.max(0, scrolled);
        if (start < end) {
          expect(before).toBeLessThanOrEqual(start);
          expect(to * height).toBeGreaterThanOrEqual(end);
        }
        expect(to - from).toBeLessThanOrEqual(visible / height + 20);
      },
    ),
  );
});
