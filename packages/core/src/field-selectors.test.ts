import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, parseFieldSelector } from './field-selectors.js';

const pod = { metadata: { name: 'web', namespace: 'default' }, spec: { replicas: 3, paused: false, nodeName: 'a,b=c\\' }, status: {} };

describe('parseFieldSelector', () => {
  const cases: readonly [selector: string, want: boolean][] = [
    ['', true],
    [',', true],
    ['metadata.name=web', true],
    ['metadata.name==web', true],
    ['metadata.name!=web', false],
    ['metadata.name=web,metadata.namespace!=kube-system', true],
    ['status.phase=', true],
    ['status.phase!=Running', true],
    ['status.phase=Running', false],
    ['spec.replicas=3,spec.paused=false', true],
    ['spec.nodeName=a\\,b\\=c\\\\', true],
    ['metadata=x', false],
    ['metadata.constructor.name!=Object', true],
  ];
  it.each(cases)('"%s" on the sample gives %s', (text, want) => expect(parseFieldSelector(text).matches(fieldsOf(pod))).toBe(want));

  const errors: readonly [selector: string, message: string][] = [
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ];
  it.each(errors)('refuses "%s"', (text, message) => expect(() => parseFieldSelector(text)).toThrow(message));

  it('returns the single value that a field must have', () => {
    const selector = parseFieldSelector('metadata.name=x,metadata.namespace!=y');
    expect(selector.exactMatch('metadata.name')).toBe('x');
    expect(selector.exactMatch('metadata.namespace')).toBeUndefined();
  });

  it('prints a selector that it parses to the same selector, for any value', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('=' as const, '!=' as const), (value, operator) => {
        const text = `f${operator}${value.replace(/[\\,=]/g, '\\$&')}`;
        const selector = parseFieldSelector(text);
        expect(selector.requirements).toEqual([{ field: 'f', operator, value }]);
        expect(selector.toString()).toBe(text);
      }),
    );
  });
});
