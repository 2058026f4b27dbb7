import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual, deepFreeze } from './equal.js';
import { MAX_DEPTH, assertDepth, getOwn, setOwn } from './own.js';

const json = (): fc.Arbitrary<unknown> => fc.jsonValue({ maxDepth: 4 });
const nested = (levels: number): unknown => JSON.parse(`${'[1,'.repeat(levels)}1${']'.repeat(levels)}`);

describe('deepEqual', () => {
  const cases: [string, unknown, unknown, boolean][] = [
    ['key order does not matter', { a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
    ['undefined members count as absent', { a: 1, b: undefined }, { a: 1 }, true],
    ['null is not absent', { a: null }, {}, false],
    ['a list is no object', [], {}, false],
    ['lists of different length differ', [1], [1, 2], false],
    ['an inherited member is no member', JSON.parse('{"constructor":1}'), {}, false],
    ['a member named __proto__ is data', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}'), false],
  ];
  it.each(cases)('%s', (_, a, b, want) => {
    expect(deepEqual(a, b)).toBe(want);
    expect(deepEqual(b, a)).toBe(want);
  });

  it('agrees with comparing sorted text', () => {
    const text = (value: unknown): string =>
      JSON.stringify(value, (_, v: unknown) =>
        typeof v === 'object' && v !== null && !Array.isArray(v)
          ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
          : v,
      );
    fc.assert(fc.property(json(), json(), (a, b) => deepEqual(a, b) === (text(a) === text(b))));
    fc.assert(fc.property(json(), (a) => deepEqual(a, structuredClone(a))));
  });

  it('compares values of any depth', () => {
    expect(deepEqual(nested(50_000), nested(50_000))).toBe(true);
  });
});

describe('deepFreeze', () => {
  it('freezes everything inside and returns its argument', () => {
    const value = { a: [{ b: 1 }] };
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value.a[0])).toBe(true);
  });

  it('takes long lists', () => {
    expect(Object.isFrozen(deepFreeze(Array.from({ length: 200_000 }, () => ({}))).at(-1))).toBe(true);
  });
});

describe('own members', () => {
  it('a member named __proto__ is set as data and pollutes nothing', () => {
    const target: Record<string, unknown> = {};
    setOwn(target, '__proto__', { polluted: true });
    expect(Object.keys(target)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(getOwn({}, 'constructor')).toBeUndefined();
  });

  it('refuses values nested too deep, whatever their shape', () => {
    expect(() => assertDepth(nested(MAX_DEPTH - 1))).not.toThrow();
    expect(() => assertDepth(nested(MAX_DEPTH + 2))).toThrow(/nested deeper than 1000 levels/);
  });
});
