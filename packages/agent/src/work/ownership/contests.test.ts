import { describe, expect, it } from 'vitest';
import { Contests } from './contests.js';

describe('a record that another agent contests', () => {
  it('is left to it for longer each time it takes the record back, up to five minutes', () => {
    const contests = new Contests();
    const rests: number[] = [];
    for (let now = 0, turn = 0; turn < 8; turn++) {
      const until = contests.leftUntil('record', now);
      expect(contests.leftUntil('record', now)).toBe(until);
      rests.push(until - now);
      now = until;
    }
    expect(rests).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('is contested anew after an hour of peace', () => {
    const contests = new Contests();
    contests.leftUntil('record', 0);
    contests.leftUntil('record', 10_000);
    expect(contests.leftUntil('record', 4_000_000)).toBe(4_010_000);
  });

  it('takes a burst of lists, then one every five seconds however fast they are undone', () => {
    const contests = new Contests();
    let writes = 0;
    for (let now = 0; now < 60_000; writes++) now = Math.max(now + 20, contests.listFrom('record', now));
    expect(writes).toBeGreaterThan(20);
    expect(writes).toBeLessThan(40);
    expect(contests.listFrom('other', 60_000)).toBe(60_000);
  });
});
