import { deepFreeze } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../registry/draft.js';
import { shareUnchanged } from './share.js';

function thing(fields: object, metadata: object = { name: 'a' }): Draft {
  return { apiVersion: 'v1', kind: 'Thing', metadata, ...fields };
}

describe('sharing the unchanged parts of a written object', () => {
  it('replaces equal parts at any depth and keeps the others', () => {
    const old = deepFreeze(
      thing({ spec: { same: { x: [1] }, list: [{ a: 1 }, { b: 2 }] }, status: {} }, { name: 'a', labels: { l: '1' } }),
    );
    const draft = thing({ spec: { same: { x: [1] }, list: [{ a: 1 }, { b: 3 }] }, status: {} }, { name: 'a', labels: { l: '1' } });
    shareUnchanged(draft, old);
    const [spec, before] = [draft['spec'], old['spec']] as { same: object; list: object[] }[];
    expect(draft['status']).toBe(old['status']);
    expect(draft.metadata.labels).toBe(old.metadata.labels);
    expect(spec?.same).toBe(before?.same);
    expect(spec?.list[0]).toBe(before?.list[0]);
    expect(spec?.list[1]).toEqual({ b: 3 });
  });

  it('allows changes of the draft and its metadata', () => {
    const old = deepFreeze(thing({ spec: {} }));
    const draft = thing({ spec: {} });
    shareUnchanged(draft, old);
    draft.metadata.generation = 2;
    draft['spec'] = { other: true };
    expect(old).toEqual(thing({ spec: {} }));
  });

  it('distinguishes missing from present, lists from objects, and null from empty', () => {
    const cases: readonly [next: unknown, old: unknown][] = [
      [{}, { a: 1 }],
      [{ a: 1 }, {}],
      [[], {}],
      [{}, null],
      [null, {}],
      [[1], [1, 2]],
      [{ a: 1 }, { b: 1 }],
    ];
    for (const [next, old] of cases) {
      const draft = thing({ spec: next });
      shareUnchanged(draft, deepFreeze(thing({ spec: old })));
      expect(draft['spec']).toEqual(next);
    }
  });

  it('changes neither the value of the draft nor the stored object', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(fc.array(json), fc.array(json), (next, old) => {
        const [draft, stored] = [thing({ spec: structuredClone(next) }), deepFreeze(thing({ spec: structuredClone(old) }))];
        shareUnchanged(draft, stored);
        expect(draft).toEqual(thing({ spec: next }));
        expect(stored).toEqual(thing({ spec: old }));
      }),
    );
  });
});
