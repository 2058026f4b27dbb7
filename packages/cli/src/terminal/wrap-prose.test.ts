import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.js';
import { wrapProse } from './wrap-prose.js';

describe('prose in lines of a width', () => {
  it.each([
    ['fits', 'one two', 10, ['one two']],
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['splits a longer word', 'a abcdefghij b', 4, ['a', 'abcd', 'efgh', 'ij b']],
    ['keeps a command on one line', 'run: `a b c`, then', 8, ['run:', '`a b c`,', 'then']],
    ['keeps a command that is longer than a line', 'run `abc def ghi`', 6, ['run', '`abc def ghi`']],
    ['splits a word with a single backquote', 'ab`cdef gh', 4, ['ab`c', 'def', 'gh']],
  ])('%s', (_, text, columns, lines) => expect(wrapProse(text, columns)).toEqual(lines));

  it('makes the lines after the first one shorter by the indentation', () =>
    expect(wrapProse('one two three four', 8, 3)).toEqual(['one two', 'three', 'four']));

  it('keeps every character but the spaces between lines, every command whole, and no other line is wider', () => {
    const word = fc.string({ minLength: 1, maxLength: 30 }).filter((one) => !/[\s`]/.test(one));
    const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `\`${words.join(' ')}\``);
    fc.assert(
      fc.property(fc.array(fc.oneof(word, command)), fc.integer({ min: 6, max: 40 }), fc.nat(4), (pieces, columns, hang) => {
        const lines = wrapProse(pieces.join(' '), columns, hang);
        expect(lines.join('').replaceAll(' ', '')).toBe(pieces.join('').replaceAll(' ', ''));
        for (const one of pieces.filter((piece) => piece.startsWith('`'))) expect(lines.some((line) => line.includes(one))).toBe(true);
        expect(lines.filter((line, i) => displayWidth(line) > columns - (i === 0 ? 0 : hang) && !/^`[^`]*`$/.test(line))).toEqual([]);
      }),
    );
  });
});
