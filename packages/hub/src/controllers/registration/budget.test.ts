import { describe, expect, it } from 'vitest';
import { RequestBudget } from './budget.js';

describe('the share of one requester', () => {
  const rate = { burst: 3, perMinute: 6 };

  it('AT-45 allows a burst, then a fixed number per minute', () => {
    const budget = new RequestBudget(rate);
    for (let i = 0; i < 3; i++) {
      expect(budget.waitMs('flood', 0)).toBe(0);
      budget.take('flood', 0);
    }
    expect(budget.waitMs('flood', 0)).toBe(10_000);
    expect(budget.waitMs('flood', 10_000)).toBe(0);
  });

  it('AT-45 is not shared with other requesters', () => {
    const budget = new RequestBudget(rate);
    for (let i = 0; i < 1000; i++) budget.take('flood', 0);
    expect(budget.waitMs('other', 0)).toBe(0);
  });

  it('never grows beyond the burst', () => {
    const budget = new RequestBudget(rate);
    budget.take('idle', 0);
    for (let i = 0; i < 3; i++) budget.take('idle', 3_600_000);
    expect(budget.waitMs('idle', 3_600_000)).toBe(10_000);
  });
});
