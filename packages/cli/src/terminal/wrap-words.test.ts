import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.js';
import { wrapWords } from './wrap-words.js';

describe('a text in lines of a width', () => {
  it.each([
    ['fits', 'one two', 10, ['one two']],
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['splits a longer word', 'a abcdefghij b', 4, ['a', 'abcd', 'efgh', 'ij b']],
    ['counts wide characters twice', '漢字漢字', 4, ['漢字', '漢字']],
  ])('%s', (_, text, columns, lines) => expect(wrapWords(text, columns)).toEqual(lines));

  it('keeps every character but the spaces between lines, and is never wider', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 30 }).filter((word) => !/\s/.test(word))),
        fc.integer({ min: 2, max: 40 }),
        (words, columns) => {
          const lines = wrapWords(words.join(' '), columns);
          expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
          expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
        },
      ),
    );
  });
});
