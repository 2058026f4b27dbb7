import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberText } from './member-text.js';

describe('the text of a member', () => {
  const name = fc.oneof(fc.constantFrom('metadata', 'labels', 'a'), fc.string({ unit: 'binary', maxLength: 4 }));
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(name, fc.oneof(fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })), fc.string({ unit: 'binary' }))),
  );

  it('is the JSON of the member, or absent like the member', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.array(name, { minLength: 1, maxLength: 2 }), (object, path) => {
        let member: unknown = object;
        for (const step of path) member = own(member, step);
        // `memberText` does not find a name that JSON spells with escapes, so such names are excluded.
        fc.pre(path.every((step) => JSON.stringify(step) === `"${step}"`));
        expect(memberText(JSON.stringify(object), path)).toBe(member === undefined ? undefined : JSON.stringify(member));
      }),
      { numRuns: 2000 },
    );
  });

  it('is not read from JSON with spaces', () => {
    expect(memberText(JSON.stringify({ metadata: { labels: {} } }, undefined, 1), ['metadata', 'labels'])).toBeUndefined();
  });
});

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
