import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, cleanJson, isClean } from './clean.js';

describe('AT-30 text from objects stays text on a terminal', () => {
  const cases = [
    { name: 'a colour sequence is shown, not obeyed', text: '\u001b[31mred\u001b[0m', want: '\\u001b[31mred\\u001b[0m' },
    { name: 'the one-byte form of the same introducer', text: '\u009b31m', want: '\\u009b31m' },
    { name: 'a title change with its bell', text: '\u001b]0;owned\u0007', want: '\\u001b]0;owned\\u0007' },
    { name: 'a right-to-left override', text: 'safe\u202egnp.exe', want: 'safe\\u202egnp.exe' },
    { name: 'isolates', text: '\u2066x\u2069', want: '\\u2066x\\u2069' },
    { name: 'zero-width characters that make two names look alike', text: 'he\u200bllo', want: 'he\\u200bllo' },
    { name: 'carriage return and backspace that rewrite a line', text: 'bad\rgood\b', want: 'bad\\u000dgood\\u0008' },
    { name: 'a line break becomes a space: one cell is one line', text: 'a\nb\tc', want: 'a b c' },
    { name: 'ordinary text is unchanged', text: 'Überwachung — 監視 🙂', want: 'Überwachung — 監視 🙂' },
  ];
  it.each(cases)('$name', ({ text, want }) => expect(clean(text)).toBe(want));

  it('JSON stays the same value and holds nothing raw', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = cleanJson(value);
        expect(isClean(text)).toBe(true);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
