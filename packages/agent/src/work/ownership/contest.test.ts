import { describe, expect, it } from 'vitest';
import { leftUntil, listFrom, listWritten, takenOver } from './contest.js';

describe('an applied work that another agent takes over', () => {
  it('is left to that agent for longer each time, up to five minutes', () => {
    let taken = takenOver({}, 0);
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      expect(takenOver({ taken }, taken.at)).toBe(taken);
      waits.push(leftUntil(taken) - taken.at);
      taken = takenOver({ taken }, leftUntil(taken));
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('is left to that agent for the first wait again after an hour without a take-over', () => {
    const taken = takenOver({ taken: takenOver({}, 0) }, 10_000);
    expect(leftUntil(takenOver({ taken }, 4_000_000))).toBe(4_010_000);
  });
});

it('the list is written in a burst, then once every five seconds however fast another agent undoes it', () => {
  let written = listWritten({}, 0);
  let writes = 1;
  for (; written.at < 60_000; writes++) written = listWritten({ written }, Math.max(written.at + 20, listFrom(written)));
  expect(writes).toBeGreaterThan(20);
  expect(writes).toBeLessThan(40);
});
