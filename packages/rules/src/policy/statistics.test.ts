import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalQuantile, normalTail, shiftAgainstPast, shiftAgainstPeers, testAgainstPast, testAgainstPeers } from './statistics.js';

/**
 * Data on the permeability of the chorioamnion from Hollander and Wolfe, who publish W = 35, a one-sided p of 0.1272 and the estimate
 * 0.305.
 */
const PERMEABILITY = {
  moved: [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46],
  peers: [1.15, 0.88, 0.9, 0.74, 1.21],
};
/** Depression scale factors from Hollander and Wolfe, first minus second measurement. They publish V = 40 and a one-sided p of 0.01953. */
const DEPRESSION = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01];

describe('published values', () => {
  it('rank sum', () => {
    expect(testAgainstPeers(PERMEABILITY.moved, PERMEABILITY.peers).p).toBeCloseTo(0.1272, 4);
    expect(shiftAgainstPeers(PERMEABILITY.moved, PERMEABILITY.peers, 0.05).estimate).toBeCloseTo(0.305, 3);
  });

  it('signed ranks', () => {
    expect(testAgainstPast(DEPRESSION).p).toBeCloseTo(0.01953, 5);
    expect(shiftAgainstPast(DEPRESSION, 0.05).estimate).toBeCloseTo(0.46, 2);
  });

  it.each([
    // According to tables of the rank sum at the one-sided 5 % level, the largest significant U is 4 for 5 and 5 values, and 15 for 8 and 8
    // values.
    { n: 5, m: 5, u: 4, isSignificant: true },
    { n: 5, m: 5, u: 5, isSignificant: false },
    { n: 8, m: 8, u: 15, isSignificant: true },
    { n: 8, m: 8, u: 16, isSignificant: false },
    { n: 10, m: 10, u: 27, isSignificant: true },
    { n: 10, m: 10, u: 28, isSignificant: false },
  ])('critical values of the rank sum: $n and $m values, U = $u', ({ n, m, u, isSignificant }) => {
    expect(testAgainstPeers(...withStatistic(n, m, u)).p <= 0.05).toBe(isSignificant);
  });

  it('the normal distribution', () => {
    expect(normalTail(0)).toBeCloseTo(0.5, 6);
    expect(normalTail(1.959964)).toBeCloseTo(0.025, 6);
    expect(normalTail(-1.959964)).toBeCloseTo(0.975, 6);
    expect(normalTail(4.753424) / 1e-6).toBeCloseTo(1, 4);
    expect(normalQuantile(0.05)).toBeCloseTo(1.644854, 5);
  });
});

/** Returns distinct values such that the moved cluster is better than its peer in exactly `u` pairs. */
function withStatistic(n: number, m: number, u: number): [moved: number[], peers: number[]] {
  const moved = Array.from({ length: n }, (_, i) => m + i);
  let left = u;
  for (let i = 0; i < n && left > 0; i++) {
    const down = Math.min(m, left);
    moved[i] = m - down - 0.5 + i / 100;
    left -= down;
  }
  return [moved, Array.from({ length: m }, (_, i) => i - 0.25)];
}

describe('the tests', () => {
  const values = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });

  it('give the same count as enumerating all permutations, with ties', () => {
    fc.assert(
      fc.property(values, values, (moved, peers) => {
        const all = [...moved, ...peers];
        const statistic = (chosen: readonly number[], others: readonly number[]): number =>
          chosen.flatMap((a) => others.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))).reduce<number>((x, y) => x + y, 0);
        const observed = statistic(moved, peers);
        let [atLeast, count] = [0, 0];
        for (let mask = 0; mask < 1 << all.length; mask++) {
          const chosen = all.filter((_, i) => mask & (1 << i));
          if (chosen.length !== moved.length) continue;
          count++;
          if (
            statistic(
              chosen,
              all.filter((_, i) => !(mask & (1 << i))),
            ) >= observed
          )
            atLeast++;
        }
        expect(testAgainstPeers(moved, peers).p).toBeCloseTo(atLeast / count, 10);
      }),
    );
  });

  it('count all signs exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 8 }), (changes) => {
        const moving = changes.filter((change) => change !== 0);
        const rankOf = (value: number): number => {
          const sizes = moving.map((change) => Math.abs(change));
          return sizes.filter((size) => size < value).length + (sizes.filter((size) => size === value).length + 1) / 2;
        };
        const ranks = moving.map((change) => rankOf(Math.abs(change)));
        const sum = (isPositive: (i: number) => boolean): number => ranks.reduce((all, rank, i) => all + (isPositive(i) ? rank : 0), 0);
        const observed = sum((i) => (moving[i] ?? 0) > 0);
        let atLeast = 0;
        for (let mask = 0; mask < 1 << moving.length; mask++) if (sum((i) => (mask & (1 << i)) !== 0) >= observed) atLeast++;
        expect(testAgainstPast(changes).p).toBeCloseTo(atLeast / 2 ** moving.length, 10);
      }),
    );
  });

  it('a vanished series ranks worst, and lifts the bound', () => {
    const peers = [1, 2, 3, 4, 5, 6];
    const vanished = Number.POSITIVE_INFINITY;
    expect(testAgainstPeers([1, vanished, vanished, vanished], peers).p).toBeLessThan(testAgainstPeers([1, 2, 3, 4], peers).p);
    expect(shiftAgainstPeers([vanished, vanished, vanished], peers, 0.05).upperBound).toBe(vanished);
  });

  it('report when there are too few values to ever detect a difference', () => {
    expect(testAgainstPeers([9, 9], [1]).smallestP).toBeCloseTo(1 / 3, 10);
    expect(testAgainstPast([1, 1, 1]).smallestP).toBeCloseTo(1 / 8, 10);
    expect(shiftAgainstPeers([9, 9], [1], 0.05).upperBound).toBe(Number.POSITIVE_INFINITY);
  });
});

it('a fleet of 10,000 clusters has a shift, although its pairs would not fit in memory', () => {
  const spread = (count: number, shift: number): number[] => Array.from({ length: count }, (_, i) => ((i * 7919) % count) / count + shift);
  const { estimate, upperBound } = shiftAgainstPeers(spread(5000, 0.25), spread(5000, 0), 0.01);
  expect(estimate).toBeCloseTo(0.25, 6);
  expect(upperBound - estimate).toBeGreaterThan(0);
  expect(upperBound - estimate).toBeLessThan(0.02);
  expect(shiftAgainstPast(spread(10_000, 0.25), 0.01).estimate).toBeCloseTo(0.75, 3);
});

/** A reproducible source of numbers in [0, 1). */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

describe('10,000 fleets of 6 to 300 clusters on which nothing got worse', () => {
  const LOOKS = 3;
  const RATE = 0.05;

  it.each([
    { name: 'against peers', test: (moved: number[], peers: number[]) => testAgainstPeers(moved, peers).p },
    { name: 'against their own past', test: (moved: number[]) => testAgainstPast(moved).p },
  ])('alarm at most at the stated rate, with ties and repeated looks: $name', ({ test }) => {
    const random = mulberry(20261116);
    let alarms = 0;
    for (let fleet = 0; fleet < 10_000; fleet++) {
      const size = 6 + Math.floor(random() ** 2 * 295);
      const levels = 2 + Math.floor(random() * 20);
      // The distribution is symmetric around 0. Values are rounded, so that many of them are equal.
      const value = (): number => Math.round((random() + random() - 1) * levels);
      const all = Array.from({ length: size }, value);
      const isAlarm = Array.from({ length: LOOKS }, (_, look) => Math.max(1, Math.floor((size * (look + 1)) / (LOOKS + 1)))).some(
        (moved) => test(all.slice(0, moved), all.slice(moved)) <= RATE / LOOKS,
      );
      if (isAlarm) alarms++;
    }
    // Allow three standard deviations above the stated rate.
    expect(alarms / 10_000).toBeLessThan(RATE + 3 * Math.sqrt((RATE * (1 - RATE)) / 10_000));
    expect(alarms).toBeGreaterThan(0);
  });

  it('the bound holds the true shift at the stated rate', () => {
    const random = mulberry(7);
    let missed = 0;
    for (let fleet = 0; fleet < 1000; fleet++) {
      const size = 8 + Math.floor(random() * 60);
      const values = (count: number, shift: number): number[] => Array.from({ length: count }, () => random() + random() + shift);
      if (shiftAgainstPeers(values(size, 0.3), values(size, 0), RATE).upperBound < 0.3) missed++;
    }
    expect(missed / 1000).toBeLessThan(RATE + 3 * Math.sqrt((RATE * (1 - RATE)) / 1000));
  });
});
