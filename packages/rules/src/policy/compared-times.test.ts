import { describe, expect, it } from 'vitest';
import { MAX_COMPARED_TIMES, comparedTimes } from './compared-times.js';

const ADMITTED: Readonly<Record<string, number>> = { m1: 10, m2: 20, m3: 20, m4: 30 };
const admittedAt = (cluster: string): number => ADMITTED[cluster] ?? 0;

describe('the times that clusters are compared with', () => {
  it.each<[string, readonly string[], readonly string[], Readonly<Record<string, number>>]>([
    ['each moved cluster has its own admission', ['m1', 'm2', 'm3', 'm4'], [], ADMITTED],
    ['peers take the times of moved clusters in turn', ['m1', 'm4'], ['p1', 'p2', 'p3'], { m1: 10, m4: 30, p1: 10, p2: 30, p3: 10 }],
    ['no cluster has moved: there is nothing to compare with', [], ['p1'], {}],
    ['no cluster at all', [], [], {}],
  ])('%s', (_, moved, peers, want) => expect(comparedTimes(moved, peers, admittedAt)).toEqual(want));

  it('are limited in number; a cluster then has an earlier time, never a later one', () => {
    const moved = Array.from({ length: 1000 }, (_, i) => `c${i}`);
    const admission = (cluster: string): number => 1_000 + Number(cluster.slice(1)) * 7;
    const times = comparedTimes(moved, [], admission);
    expect(new Set(Object.values(times)).size).toBeLessThanOrEqual(MAX_COMPARED_TIMES);
    for (const cluster of moved) {
      expect(times[cluster]).toBeLessThanOrEqual(admission(cluster));
      expect(admission(cluster) - (times[cluster] ?? 0)).toBeLessThan((1000 / MAX_COMPARED_TIMES + 1) * 7);
    }
  });
});
