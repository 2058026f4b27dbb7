import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './compile.js';
import type { StructuralSchema } from './types.js';

const part: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 1 }, size: { type: 'integer', minimum: 1, maximum: 2 } },
};
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        part,
        either: {
          type: 'object',
          properties: part.properties ?? {},
          oneOf: [{ required: ['name'] }, { properties: { size: { minimum: 2 } } }],
        },
        keyed: { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: part,
  },
};

const values = fc.record({ name: fc.constantFrom('a', 'b', 'bb', 1), size: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: [] });
const spec = fc.record(
  {
    part: values,
    either: values,
    keyed: fc.uniqueArray(values, { selector: ({ name }) => String(name), maxLength: 3 }),
    set: fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }),
    embedded: fc.record({ kind: fc.constantFrom('Thing', ''), apiVersion: fc.constant('v1') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const whole = fc.record({ spec, status: values }, { requiredKeys: [] });

describe('parts an update leaves as they were', () => {
  it('are judged the same whether they are shared with the old object or equal to it', () => {
    const compiled = compileSchema(schema);
    fc.assert(
      fc.property(
        whole,
        whole,
        fc.subarray(['part', 'either', 'keyed', 'set', 'embedded'] as const),
        fc.boolean(),
        (old, next, kept, keepStatus) => {
          const shared = Object.fromEntries(kept.filter((name) => old.spec?.[name] !== undefined).map((name) => [name, old.spec?.[name]]));
          const value = { ...next, spec: { ...next.spec, ...shared }, ...(keepStatus && old.status ? { status: old.status } : {}) };
          const apart = structuredClone(value);
          expect(compiled.validate(value, old)).toEqual(compiled.validate(apart, structuredClone(old)));
          expect(compiled.validateStatus(value, old)).toEqual(compiled.validateStatus(apart, structuredClone(old)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
