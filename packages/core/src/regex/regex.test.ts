import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex } from './index.js';

describe('compileRegex', () => {
  const cases: readonly [name: string, pattern: string, text: string, want: boolean][] = [
    ['searches, it does not anchor', 'b', 'abc', true],
    ['anchors match the whole text', '^abc$', 'abc\n', false],
    ['inline flags of Go', '(?i)ABC', 'xabcx', true],
    ['\\z as end of text', 'abc\\z', 'abc', true],
    ['POSIX classes', '^[[:alpha:]]+$', 'abc', true],
    ['named groups in Go syntax', '(?P<year>\\d{4})', 'in 2026', true],
    ['the DNS label pattern accepts a label', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-name', true],
    ['the DNS label pattern refuses a trailing dash', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-', false],
    ['a dot matches one code point, not one half of it', '^.$', '\u{1f6a2}', true],
  ];
  it.each(cases)('%s', (_name, pattern, text, want) => expect(compileRegex(pattern).test(text)).toBe(want));

  it.each(['(', 'a{2000}', '(?=x)', '\\1', '[z-a]'])('refuses %s and names it', (pattern) => {
    expect(() => compileRegex(pattern)).toThrow(`invalid regular expression "${pattern}"`);
  });

  it('refuses patterns of absurd length', () => {
    expect(() => compileRegex('a'.repeat(10_001))).toThrow('at most 10000');
  });

  it('survives the classic catastrophic patterns on long input', () => {
    const text = `${'a'.repeat(50_000)}!`;
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(compileRegex(pattern).test(text)).toBe(false);
    }
  });

  it('finds the first match, all matches, and at most a limit', () => {
    const digits = compileRegex('[0-9]+');
    expect(digits.find('a12b345')).toBe('12');
    expect(digits.find('none')).toBeUndefined();
    expect(digits.findAll('a12b345c6', () => undefined)).toEqual(['12', '345', '6']);
    expect(digits.findAll('a12b345c6', () => undefined, 2)).toEqual(['12', '345']);
  });

  it('answers the same from the cache, also after many other patterns', () => {
    const first = compileRegex('^cached$');
    expect(compileRegex('^cached$')).toBe(first);
    for (let i = 0; i < 600; i++) compileRegex(`^evict${i}$`);
    expect(compileRegex('^cached$').test('cached')).toBe(true);
  });

  it('agrees with the native engine on plain anchored patterns', () => {
    const atom = fc.constantFrom('a', 'b', '[a-c]', '(ab)?', 'c*', '[0-9]+', '\\.', 'x{2}');
    fc.assert(
      fc.property(fc.array(atom, { maxLength: 6 }), fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', 'x') }), (atoms, text) => {
        const pattern = `^${atoms.join('')}$`;
        expect(compileRegex(pattern).test(text)).toBe(new RegExp(pattern).test(text));
      }),
    );
  });
});
