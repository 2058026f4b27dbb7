import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thing } from './fixtures.js';
import { ObjectCache } from './object-cache.js';

describe('the cache of parsed objects', () => {
  it('keeps the newest objects within both limits, whatever their sizes', () => {
    const steps = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 60 }), deletes: fc.option(fc.nat(30)) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (history) => {
        const cache = new ObjectCache({ maxObjects: 5, maxBytes: 100 });
        let kept: { revision: number; bytes: number }[] = [];
        for (const [revision, { bytes, deletes }] of history.entries()) {
          cache.add(revision, thing(revision, 'x'), bytes);
          kept.push({ revision, bytes });
          while (kept.length > 5 || kept.reduce((sum, one) => sum + one.bytes, 0) > 100) kept.shift();
          if (deletes === null) continue;
          cache.delete(deletes);
          kept = kept.filter((one) => one.revision !== deletes);
        }
        expect(cache.size).toBe(kept.length);
        for (const { revision } of kept) expect(cache.get(revision)?.metadata.resourceVersion).toBe(String(revision));
      }),
    );
  });

  it('keeps only the newest object if that object alone exceeds the limit', () => {
    const cache = new ObjectCache({ maxObjects: 5, maxBytes: 100 });
    cache.add(1, thing(1, 'small'), 10);
    cache.add(2, thing(2, 'large'), 1_000);
    expect([cache.size, cache.get(2)?.metadata.uid]).toEqual([1, 'large']);
    cache.add(3, thing(3, 'small'), 10);
    expect([cache.size, cache.get(3)?.metadata.uid]).toEqual([1, 'small']);
  });
});
