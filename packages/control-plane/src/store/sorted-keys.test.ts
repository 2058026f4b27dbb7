import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedKeys } from './sorted-keys.js';

describe('SortedKeys', () => {
  it('is a sorted set', () => {
    const key = fc.integer({ min: 0, max: 3000 }).map((n) => `k${String(n).padStart(4, '0')}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 3000, minLength: 1000 }), key, (steps, probe) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [isAdd, name] of steps) {
          const answers = [keys.own(name), isAdd ? keys.add(name) : keys.delete(name)];
          if (isAdd) model.add(name);
          else model.delete(name);
          if (answers.some((answer) => answer !== name) || keys.size !== model.size) throw new Error(`wrong after ${name}`);
        }
        const sorted = [...model].sort();
        expect([...keys.from('')]).toEqual(sorted);
        expect(keys.size).toBe(sorted.length);
        expect([...keys.from(probe)]).toEqual(sorted.filter((name) => name >= probe));
        expect(keys.rank(probe)).toBe(sorted.filter((name) => name < probe).length);
      }),
      { numRuns: 20 },
    );
  });

  it('stays in order when it grows past many chunks', () => {
    const keys = new SortedKeys();
    for (let i = 0; i < 5000; i++) keys.add(String((i * 7919) % 5000).padStart(5, '0'));
    const all = [...keys.from('')];
    expect(all).toHaveLength(5000);
    expect(all).toEqual([...all].sort());
    for (const key of all) keys.delete(key);
    expect([...keys.from('')]).toEqual([]);
  });
});
