import { describe, expect, it } from 'vitest';
import { compiledSchema, schemaProblems, sharedSchema } from './schemas.js';

const schema = () =>
  ({ type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } } } }) as const;

describe('schemas of custom resources', () => {
  it('of equal content are shared and compiled once', () => {
    expect(sharedSchema(schema())).toBe(sharedSchema(schema()));
    expect(compiledSchema(schema())).toBe(compiledSchema(schema()));
  });

  it('of different content or order are different', () => {
    const other = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', minimum: 2 } } } },
    } as const;
    const reordered = { properties: schema().properties, type: 'object' } as const;
    expect(sharedSchema(other)).not.toBe(sharedSchema(schema()));
    expect(sharedSchema(reordered)).not.toBe(sharedSchema(schema()));
    expect(compiledSchema(schema()).validate({ spec: { size: 1 } })).toEqual([]);
    expect(compiledSchema(other).validate({ spec: { size: 1 } })).toHaveLength(1);
  });

  it('cannot be changed by the caller', () => {
    const brought = schema();
    sharedSchema({ ...brought, description: 'frozen' });
    expect(Object.isFrozen(brought.properties.spec)).toBe(true);
  });

  it('report their problems at the given path', () => {
    const wrong = { type: 'object', properties: { a: { type: 'array' } } } as const;
    expect(schemaProblems(wrong, 'spec.here').map(({ field }) => field)).toEqual(['spec.here.properties[a].items']);
    expect(schemaProblems(wrong, 'spec.there').map(({ field }) => field)).toEqual(['spec.there.properties[a].items']);
  });

  it('beyond the cache limit are compiled again', () => {
    const first = sharedSchema(schema());
    for (let i = 0; i < 300; i++) sharedSchema({ type: 'object', description: `number ${i}` });
    const again = sharedSchema(schema());
    expect(again).toEqual(first);
    expect(compiledSchema(again).validate({ spec: { size: 0 } })).toHaveLength(1);
  });
});
