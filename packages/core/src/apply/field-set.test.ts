import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.js';
import { pathText } from './path-element.js';
import { compareElements, type PathElement } from './path-element.js';

const element = fc.oneof(
  fc.constantFrom<PathElement>('f:a', 'f:b', 'f:metadata', 'f:__proto__', 'f:constructor'),
  fc.constantFrom<PathElement>('k:{"name":"x"}', 'k:{"n":1,"p":"TCP"}', 'k:{"n":10,"p":"TCP"}'),
  fc.constantFrom<PathElement>('v:"s"', 'v:1', 'v:true', 'i:0', 'i:12'),
);
const sets = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 }).map((paths) => FieldSet.of(...paths));

describe('FieldSet', () => {
  it('survives a round trip through FieldsV1', () => {
    fc.assert(fc.property(sets, (set) => FieldSet.fromFieldsV1(JSON.parse(JSON.stringify(set.toFieldsV1()))).equals(set)));
  });

  it('obeys the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.recursiveDifference(b).difference(a).isEmpty).toBe(true);
        expect(a.difference(a).isEmpty).toBe(true);
      }),
    );
  });

  it('lists exactly its members', () => {
    fc.assert(fc.property(sets, (set) => FieldSet.of(...set.paths()).equals(set) && [...set.paths()].every((path) => set.hasPath(path))));
  });

  it('writes a dot for a field that is owned together with its members', () => {
    const set = FieldSet.of(['f:spec'], ['f:spec', 'f:a'], ['f:list', 'k:{"name":"x"}', 'f:v']);
    expect(set.toFieldsV1()).toEqual({ 'f:list': { 'k:{"name":"x"}': { 'f:v': {} } }, 'f:spec': { '.': {}, 'f:a': {} } });
  });

  it('reads keys in any spelling, skips unknown kinds of keys, and refuses invalid ones', () => {
    const set = FieldSet.fromFieldsV1({ 'k:{"p":"TCP", "n":1}': {}, 'x:new': {}, 'f:a': { '.': {} } });
    expect([...set.paths()].map(pathText)).toEqual(['.a', '[n=1,p="TCP"]']);
    expect(() => FieldSet.fromFieldsV1({ fa: {} })).toThrow('missing colon: fa');
    expect(() => FieldSet.fromFieldsV1({ 'i:x': {} })).toThrow('invalid syntax');
  });

  it('a recursive difference takes everything below a member', () => {
    const set = FieldSet.of(['f:status'], ['f:status', 'f:a', 'f:b'], ['f:spec']);
    expect([...set.recursiveDifference(FieldSet.of(['f:status'])).paths()]).toEqual([['f:spec']]);
  });
});

describe('compareElements', () => {
  it('orders fields, keys, values, indices; numbers by size', () => {
    const sorted: PathElement[] = [
      'f:a',
      'f:b',
      'k:{"n":2}',
      'k:{"n":10}',
      'k:{"n":10,"p":"a"}',
      'v:2',
      'v:10',
      'v:"a"',
      'v:false',
      'i:2',
      'i:10',
    ];
    expect([...sorted].reverse().sort(compareElements)).toEqual(sorted);
  });
});
