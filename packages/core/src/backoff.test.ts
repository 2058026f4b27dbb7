import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

describe('back-off', () => {
  const backoff = { baseMs: 200, maxMs: 300_000 };

  it('doubles from its base to its maximum', () => {
    expect([1, 2, 3, 10_000].map((failures) => backoffMs(failures, backoff))).toEqual([200, 400, 800, 300_000]);
  });

  it('shortens a delay at random, by at most half', () => {
    expect([0, 0.5, 1].map((random) => backoffMs(1, backoff, random))).toEqual([200, 150, 100]);
    expect(backoffMs(10_000, backoff, 1)).toBe(150_000);
  });
});
