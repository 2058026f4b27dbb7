import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual, deepFreeze } from './equal.js';
import { createMergePatch, mergePatch } from './merge-patch.js';

/** The examples in RFC 7386, appendix A. */
const RFC_EXAMPLES: [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

/** Generates objects without null members, because a merge patch cannot set null. */
const withoutNull = (): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.boolean(), fc.integer(), fc.string({ maxLength: 3 }), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), { maxKeys: 4 }),
  })).map;

describe('mergePatch', () => {
  it.each(RFC_EXAMPLES)('%j patched with %j', (target, patch, want) => {
    expect(mergePatch(deepFreeze(target), deepFreeze(patch))).toEqual(want);
  });

  it('shares unchanged parts, and returns the target if nothing changes', () => {
    const target = deepFreeze({ a: { b: 1 }, c: [1, { d: 2 }] });
    expect(mergePatch(target, { a: { b: 1, x: null }, c: [1, { d: 2 }] })).toBe(target);
    expect(mergePatch<typeof target>(target, { a: { b: 2 } }).c).toBe(target.c);
  });

  it('treats __proto__ and constructor as data', () => {
    const patched = mergePatch<Record<string, unknown>>({ a: 1 }, JSON.parse('{"__proto__":{"x":1},"constructor":{"y":null}}'));
    expect(Object.keys(patched).sort()).toEqual(['__proto__', 'a', 'constructor']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('refuses a patch that is nested too deep instead of overflowing the stack', () => {
    const bomb: unknown = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    expect(() => mergePatch({}, bomb)).toThrow(/nested deeper/);
  });
});

describe('createMergePatch', () => {
  it('leads from the source to the target, for targets without null', () => {
    const object = fc.tuple(withoutNull(), withoutNull());
    fc.assert(
      fc.property(object, ([from, to]) => deepEqual(mergePatch(from, createMergePatch(from, to)), to)),
      { numRuns: 500 },
    );
  });

  it('is empty between equal values', () => {
    fc.assert(fc.property(withoutNull(), (value) => deepEqual(createMergePatch(value, structuredClone(value)), {})));
    expect(createMergePatch({ a: [1], b: { c: 1 } }, { b: { c: 1 }, a: [1] })).toEqual({});
  });

  it('contains only the changes', () => {
    expect(createMergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { b: { c: 1, d: 3 }, e: [1], f: {} })).toEqual({
      a: null,
      b: { d: 3 },
      f: {},
    });
  });
});
