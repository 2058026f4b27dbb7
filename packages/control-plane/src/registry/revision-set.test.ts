import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RevisionSet } from './revision-set.js';

describe('a set of revisions', () => {
  it('contains the revisions that were added, and no other', () => {
    const revision = fc.oneof(fc.nat(5000), fc.integer({ min: 2 ** 40, max: 2 ** 40 + 100 }));
    fc.assert(
      fc.property(fc.array(revision), fc.array(revision), (added, others) => {
        const set = new RevisionSet();
        for (const one of added) set.add(one);
        const known = new Set(added);
        for (const one of [...added, ...others]) expect(set.has(one)).toBe(known.has(one));
      }),
    );
  });

  it('forgets the revisions that were added first, if there are too many', () => {
    const set = new RevisionSet(2);
    for (const revision of [5, 2000, 2001, 4000]) set.add(revision);
    expect([5, 2000, 2001, 4000].filter((revision) => set.has(revision))).toEqual([2000, 2001, 4000]);
  });
});
