import type { StructuralSchema } from '@outrigger/core/schema';
import { describe, expect, it } from 'vitest';
import { KIND_DEFINITIONS } from '../definitions.js';
import { rootSchema } from './kind.js';
import { patternWords } from './pattern-words.js';

function patternsIn(schema: StructuralSchema): readonly string[] {
  const { pattern, properties = {}, items, additionalProperties, anyOf = [], allOf = [], oneOf = [] } = schema;
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...allOf, ...oneOf];
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...(pattern === undefined ? [] : [pattern]), ...[...inner, ...values].flatMap(patternsIn)];
}

describe('patternWords', () => {
  const patterns = new Set(KIND_DEFINITIONS.flatMap(({ versions }) => versions.flatMap((one) => patternsIn(rootSchema(one)))));
  it('finds the patterns of the kinds', () => expect(patterns.size).toBeGreaterThan(10));
  it.each([...patterns])('has words for %s, without the pattern in them', (pattern) => {
    expect(patternWords(pattern)).toMatch(/^use /);
    expect(patternWords(pattern)).not.toMatch(/[\^$\\]|\[[^\]]*-/);
  });
  it('has none for the name of a prototype member', () => expect(patternWords('constructor')).toBeUndefined());
});
