import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../patch/equal.js';
import type { StructuralSchema } from '../schema/types.js';
import { trackUpdate } from './apply.js';
import { FieldSet } from './field-set.js';
import type { Path } from './field-set.js';
import type { ApplyObject } from './values.js';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', additionalProperties: { type: 'integer' } },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'integer' } } },
    },
  },
};

const state = fc.record({
  spec: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 2 })),
  items: fc.uniqueArray(fc.record({ name: fc.constantFrom('x', 'y', 'z'), value: fc.integer({ min: 0, max: 2 }) }), {
    selector: ({ name }) => name,
  }),
});
const write = fc.record({ state, manager: fc.constantFrom('one', 'two', 'three'), second: fc.integer({ min: 0, max: 2 }) });

/** Returns the managedFields after each of several writes. `keep` determines how an object is stored between writes. */
function histories(writes: readonly { state: object; manager: string; second: number }[], keep: <T>(value: T) => T): unknown[] {
  let live: ApplyObject | undefined;
  return writes.map(({ state: fields, manager, second }) => {
    const { managedFields } = live?.metadata ?? {};
    const next = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...(managedFields ? { managedFields } : {}) }, ...fields };
    const time = `2026-01-01T00:00:0${second}Z`;
    const after = trackUpdate({ apiVersion: 'v1', schema, manager, time, ...(live ? { live } : {}), next });
    live = keep({ ...next, metadata: { name: 'a', ...(after ? { managedFields: after } : {}) } });
    return structuredClone(after);
  });
}

describe('the cache of parsed entries', () => {
  it('equals the entries parsed again, after every write', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 6 }), (writes) => {
        expect(histories(writes, deepFreeze)).toEqual(histories(writes, (value) => structuredClone(value)));
      }),
    );
  });

  it('is nothing about entries that can still change', () => {
    const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:a': {} } } };
    const live = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', managedFields: [entry] }, spec: { a: 1, b: 1 } } as ApplyObject;
    const tracked = (next: object) =>
      trackUpdate({ apiVersion: 'v1', schema, manager: 'other', time: '2026-01-01T00:00:00Z', live, next: { ...live, ...next } });
    expect(tracked({ spec: { a: 1, b: 2 } })?.[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:a': {} } });
    entry.fieldsV1 = { 'f:spec': { 'f:b': {} } } as never;
    expect(tracked({ spec: { a: 2, b: 1 } })?.find(({ manager }) => manager === 'm')?.fieldsV1).toEqual({ 'f:spec': { 'f:b': {} } });
  });
});

describe('sets that come out as they went in', () => {
  const element = fc.constantFrom('f:a', 'f:b', 'f:c') as fc.Arbitrary<Path[number]>;
  const set = fc.array(fc.array(element, { minLength: 1, maxLength: 3 })).map((paths) => FieldSet.of(...paths));

  it('are the same objects, and only then', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [union, difference] = [a.union(b), a.difference(b)];
        expect(union === a || !a.equals(union) || union === b).toBe(true);
        expect(difference === a).toBe(a.intersection(b).isEmpty);
        expect(a.mapped((_, member, children) => [member, children])).toBe(a);
        expect(a.toFieldsV1()).toBe(a.toFieldsV1());
        expect(FieldSet.fromFieldsV1(union.toFieldsV1()).equals(union)).toBe(true);
      }),
    );
  });
});
