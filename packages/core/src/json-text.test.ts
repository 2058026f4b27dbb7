import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonText } from './json-text.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const check = (text: string, maxDepth: number, maxValues: number): string => {
  try {
    checkJsonText(bytes(text), { maxDepth, maxValues, tooDeep: () => new Error('deep'), tooMany: () => new Error('many') });
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  }
};

/** The following two functions compute the depth and the number of values from the parsed document, for comparison. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return -1;
  return 1 + Math.max(-1, ...Object.values(value).map(depthOf));
}
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Object.values(value);
  return parts.length + parts.reduce<number>((sum, part) => sum + valuesOf(part), 0);
}

describe('AT-54 the text of a JSON document', () => {
  it('has exactly the depth and the values of the document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const [depth, values] = [depthOf(value), valuesOf(value)];
        expect(check(text, depth, values)).toBe('ok');
        if (depth >= 0) expect(check(text, depth - 1, values)).toBe('deep');
        if (values > 0) expect(check(text, depth, values - 1)).toBe('many');
      }),
    );
  });

  it.each<[string, string, string]>([
    ['brackets without an end', '['.repeat(3_000_000), 'deep'],
    ['objects without an end', '{"a":'.repeat(500_000), 'deep'],
    ['empty lists', `[${'[],'.repeat(900_000)}1]`, 'many'],
    ['the same member again and again', `{${'"a":1,'.repeat(400_000)}"a":1}`, 'many'],
    ['commas that are no JSON', ','.repeat(3_000_000), 'many'],
    ['brackets in a string', `"${'[{,'.repeat(900_000)}"`, 'ok'],
    ['escaped quotes and brackets', `"${'\\"['.repeat(900_000)}"`, 'ok'],
    ['a string without an end', `"${'\\"'.repeat(1_400_000)}`, 'ok'],
    ['an escape at the end', '"\\', 'ok'],
  ])('is refused before it is parsed, if it has too much: %s', (_, text, want) => {
    expect(check(text, 1000, 100_000)).toBe(want);
  });

  it.each<[string, boolean]>([
    ['"\\ud800"', true],
    ['{"\\uDFFF":1}', true],
    ['"\\ud83d\\ude00"', true],
    ['"\\\\ud800"', false],
    ['"\\ud7ff \\ue000"', false],
    ['"ud800"', false],
  ])('%s has an escape of a surrogate: %s', (text, want) => {
    expect(checkJsonText(bytes(text), { maxDepth: 10, tooDeep: () => new Error() }).hasSurrogateEscapes).toBe(want);
  });
});
