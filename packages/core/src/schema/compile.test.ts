import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../patch/equal.js';
import { compileSchema, fieldErrorText, type StructuralSchema } from './index.js';

const object = (properties: Record<string, StructuralSchema>, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties,
  ...more,
});
const text: StructuralSchema = { type: 'string' };
const compile = (schema: StructuralSchema): ReturnType<typeof compileSchema> => compileSchema(schema, { isResource: false });
const texts = (schema: StructuralSchema, value: unknown, old?: unknown): string[] =>
  compile(schema).validate(value, old).map(fieldErrorText);

/** Generates schemas with few fields and few names, so that random values often fit. */
const schemas = fc.letrec<{ schema: StructuralSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record<StructuralSchema>(
      { type: fc.constant('string'), default: fc.constantFrom('x', 'y'), nullable: fc.boolean() },
      { requiredKeys: ['type'] },
    ),
    fc.record<StructuralSchema>({ type: fc.constant('integer'), default: fc.integer() }, { requiredKeys: ['type'] }),
    fc.record<StructuralSchema>(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')),
        default: fc.constantFrom({}, { a: 1 }),
        nullable: fc.boolean(),
        'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record<StructuralSchema>({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record<StructuralSchema>({ type: fc.constant('array'), items: tie('schema') }),
  ),
})).schema;
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, 'x', 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
  ),
})).value;

describe('defaulted', () => {
  const schema = object({
    a: { type: 'string', default: 'x' },
    inner: object({ n: { type: 'integer', default: 1 } }),
    whole: { ...object({ n: { type: 'integer', default: 1 } }), default: {} },
  });
  const cases: [string, StructuralSchema, unknown, unknown][] = [
    ['fills missing members', schema, {}, { a: 'x', whole: { n: 1 } }],
    ['fills inside an object only where it is present or defaulted', schema, { inner: {} }, { a: 'x', inner: { n: 1 }, whole: { n: 1 } }],
    ['keeps existing values, zero values included', schema, { a: '', whole: { n: 0 } }, { a: '', whole: { n: 0 } }],
    ['a null that may not be gives way to the default', object({ a: { ...text, default: 'x' } }), { a: null }, { a: 'x' }],
    ['a null that may not be, without default, is dropped', object({ a: text }), { a: null }, {}],
    ['a null that may be stays', object({ a: { ...text, nullable: true, default: 'x' } }), { a: null }, { a: null }],
    ['nulls of unknown members stay', object({ a: text }), { b: null }, { b: null }],
    ['items that are null take the default of items', { type: 'array', items: { ...text, default: 'x' } }, [null, 'y'], ['x', 'y']],
    ['items that are null without default stay', { type: 'array', items: text }, [null], [null]],
    [
      'members of maps are defaulted inside',
      { type: 'object', additionalProperties: object({ n: { type: 'integer', default: 1 } }) },
      { k: {} },
      { k: { n: 1 } },
    ],
    [
      'a property named constructor is defaulted like any other',
      object({ constructor: { ...text, default: 'x' } }),
      {},
      { constructor: 'x' },
    ],
  ];
  it.each(cases)('%s', (_, s, value, want) => expect(compile(s).defaulted(deepFreeze(value))).toEqual(want));

  it('keeps a null that may not be and has no default if asked to, and validation reports it', () => {
    const compiled = compile(object({ a: text, b: { ...text, default: 'x' } }));
    const kept = compiled.defaulted({ a: null, b: null }, 'keep');
    expect(kept).toEqual({ a: null, b: 'x' });
    expect(compiled.validate(kept)).toMatchObject([{ field: 'a', type: 'TypeInvalid' }]);
  });

  it('returns the value itself when there is nothing to do', () => {
    const value = { a: 'y', whole: { n: 2 } };
    expect(compile(schema).defaulted(value)).toBe(value);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(schemas, values, (s, value) => {
        const { defaulted } = compile(s);
        const once = defaulted(deepFreeze(value));
        return defaulted(once) === once;
      }),
    );
  });
});

describe('pruned', () => {
  const free: StructuralSchema = object({ known: object({ a: text }) }, { 'x-kubernetes-preserve-unknown-fields': true });
  const cases: [string, StructuralSchema, unknown, unknown, string[]][] = [
    [
      'drops what is not declared',
      object({ a: text, o: object({ b: text }) }),
      { a: 'x', z: 1, o: { b: 'y', q: {} } },
      { a: 'x', o: { b: 'y' } },
      ['o.q', 'z'],
    ],
    [
      'looks into lists',
      object({ l: { type: 'array', items: object({ a: text }) } }),
      { l: [{ a: 'x', b: 1 }] },
      { l: [{ a: 'x' }] },
      ['l[0].b'],
    ],
    [
      'keeps unknown members where they are preserved, but prunes declared ones',
      free,
      { z: { q: 1 }, known: { a: 'x', b: 1 } },
      { z: { q: 1 }, known: { a: 'x' } },
      ['known.b'],
    ],
    [
      'scalars are kept, objects emptied, where nothing is declared',
      object({ m: { type: 'object', additionalProperties: true } }),
      { m: { k: { x: 1 } } },
      { m: { k: {} } },
      ['m.k.x'],
    ],
    [
      'members named __proto__ and constructor are unknown like any other',
      object({}),
      JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
      {},
      ['__proto__', 'constructor'],
    ],
  ];
  it.each(cases)('%s', (_, s, value, want, unknownFields) =>
    expect(compile(s).pruned(deepFreeze(value))).toEqual({ value: want, unknownFields }),
  );

  it('keeps apiVersion, kind and known metadata of a resource; empty metadata is dropped', () => {
    const value = { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: {}, foo: 1 }, extra: 1 };
    expect(compileSchema(object({})).pruned(value)).toEqual({
      value: { apiVersion: 'v1', kind: 'X', metadata: { name: 'n' } },
      unknownFields: ['extra', 'metadata.foo'],
    });
  });

  it('is idempotent, and reports that nothing changed', () => {
    fc.assert(
      fc.property(schemas, values, (s, value) => {
        const { pruned } = compile(s);
        const once = pruned(deepFreeze(value));
        const twice = pruned(once.value);
        return twice.value === once.value && twice.unknownFields.length === 0;
      }),
    );
  });
});

describe('validate', () => {
  it('takes a huge list in one pass and bounds nothing by recursion over data', () => {
    const list: StructuralSchema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    const many = Array.from({ length: 100_000 }, (_, i) => `i${i}`);
    expect(texts(list, [...many, 'i0'])).toEqual(['[100000]: Duplicate value: "i0"']);
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    const free = object({}, { 'x-kubernetes-preserve-unknown-fields': true });
    expect(compile(free).validate(deep)).toEqual([]);
    expect(compile(free).pruned(deep).value).toBe(deep);
  });

  it('refuses a schema nested absurdly deep with an ApiError', () => {
    let schema: StructuralSchema = text;
    for (let i = 0; i < 1500; i++) schema = object({ a: schema });
    expect(() => compileSchema(schema)).toThrow(/the schema is nested deeper/);
  });

  it('properties named like inherited members are not confused with them', () => {
    const schema = object({ toString: text }, { required: ['toString'] });
    expect(texts(schema, {})).toEqual(['toString: Required value']);
    expect(texts(schema, JSON.parse('{"toString":5}'))).toEqual([
      'toString: Invalid value: "integer": toString in body must be of type string: "integer"',
    ]);
  });

  const strict = object({
    s: { type: 'string', maxLength: 3 },
    rows: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: object({ k: text, v: { type: 'integer', maximum: 5 } }),
    },
    list: { type: 'array', items: { type: 'integer', maximum: 5 } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  });
  const old = deepFreeze({
    s: 'toolong',
    rows: [
      { k: 'a', v: 9 },
      { k: 'b', v: 1 },
    ],
    list: [9, 1],
    set: ['x', 'x'],
  });
  const updates: [string, object, string[]][] = [
    ['an unchanged invalid value is tolerated', {}, []],
    ['a changed value is not', { s: 'longer' }, ['s: Too long: may not be more than 3 bytes']],
    [
      'reordered items of a list of type map are unchanged',
      {
        rows: [
          { k: 'b', v: 1 },
          { k: 'a', v: 9 },
        ],
      },
      [],
    ],
    [
      'a changed item is not tolerated, its unchanged neighbour is',
      {
        rows: [
          { k: 'a', v: 9 },
          { k: 'b', v: 8 },
        ],
      },
      ['rows[1].v: Invalid value: 8: rows[1].v in body should be less than or equal to 5'],
    ],
    [
      'other lists are unchanged as a whole or not at all',
      { list: [9, 1, 1] },
      ['list[0]: Invalid value: 9: list[0] in body should be less than or equal to 5'],
    ],
    ['duplicates are tolerated while the old object has some', { set: ['y', 'y'] }, []],
  ];
  it.each(updates)('on update %s', (_, change, want) => expect(texts(strict, { ...old, ...change }, old)).toEqual(want));
});
