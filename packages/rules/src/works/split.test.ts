import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlacedWork, type SizedManifest, splitIntoWorks } from './split.js';

const budget = { fillBytes: 80, limitBytes: 100 };
const manifest = (id: string, size: number): SizedManifest => ({ id, size });
const brief = (shares: ReturnType<typeof splitIntoWorks>): string[] =>
  shares.map((share) => `${share.index}: ${share.manifests.map((m) => m.id).join(' ')}`);

describe('splitting manifests into works', () => {
  const cases: { name: string; manifests: SizedManifest[]; existing?: PlacedWork[]; want: string[] }[] = [
    {
      name: 'everything that fits shares the first work, in rendered order',
      manifests: [manifest('a', 10), manifest('b', 60)],
      want: ['0: a b'],
    },
    {
      name: 'a manifest that does not fit starts the next work',
      manifests: [manifest('a', 50), manifest('b', 50)],
      want: ['0: a', '1: b'],
    },
    {
      name: 'a manifest above the budget gets a work of its own',
      manifests: [manifest('a', 300), manifest('b', 5)],
      want: ['0: a', '1: b'],
    },
    {
      name: 'a manifest stays in its work even if it would now fit in another one',
      manifests: [manifest('a', 1), manifest('b', 1)],
      existing: [
        { index: 0, ids: ['a'] },
        { index: 1, ids: ['b'] },
      ],
      want: ['0: a', '1: b'],
    },
    {
      name: 'a grown manifest stays up to the limit',
      manifests: [manifest('a', 60), manifest('b', 35)],
      existing: [{ index: 0, ids: ['a', 'b'] }],
      want: ['0: a b'],
    },
    {
      name: 'above the limit the largest moves out',
      manifests: [manifest('a', 70), manifest('b', 40)],
      existing: [{ index: 0, ids: ['a', 'b'] }],
      want: ['0: b', '1: a'],
    },
    {
      name: 'a new manifest goes where most room is left',
      manifests: [manifest('a', 60), manifest('b', 20), manifest('c', 10)],
      existing: [
        { index: 0, ids: ['a'] },
        { index: 1, ids: ['b'] },
      ],
      want: ['0: a', '1: b c'],
    },
    {
      name: 'a work whose manifests were all exchanged keeps its place, however large the new ones are',
      manifests: [manifest('x', 10), manifest('y', 300)],
      existing: [
        { index: 0, ids: ['gone'] },
        { index: 1, ids: ['gone too'] },
      ],
      want: ['0: y', '1: x'],
    },
    { name: 'the last of two manifests with one identity is used', manifests: [manifest('a', 99), manifest('a', 1)], want: ['0: a'] },
    { name: 'nothing rendered, no work', manifests: [], existing: [{ index: 0, ids: ['a'] }], want: [] },
  ];
  it.each(cases)('$name', ({ manifests, existing = [], want }) => expect(brief(splitIntoWorks(manifests, existing, budget))).toEqual(want));

  it('never loses or duplicates a manifest, keeps placed manifests in their work, and is idempotent', () => {
    const sized = fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1, maxLength: 3 }), size: fc.integer({ min: 1, max: 120 }) }), {
      selector: (m) => m.id,
      maxLength: 30,
    });
    fc.assert(
      fc.property(sized, (manifests) => {
        const first = splitIntoWorks(manifests, [], budget);
        expect(first.flatMap((share) => share.manifests.map((m) => m.id)).sort()).toEqual(manifests.map((m) => m.id).sort());
        const placed = first.map((share) => ({ index: share.index, ids: share.manifests.map((m) => m.id) }));
        expect(splitIntoWorks(manifests, placed, budget)).toEqual(first);
      }),
    );
  });
});
