import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SECURITY_SENTENCES } from './security-sentences.js';
import { sentencesOf } from './sentences.js';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const sentences = sentencesOf(read('docs/guides/security.md'));
const namesCases = (sentence: string): boolean => /\bAT-\d\d\b/.test(sentence);

describe('every sentence of the guide on security', () => {
  it('names attack cases, or has an entry with the tests that show it or the reason why none can', () => {
    const without = sentences.filter((one) => !namesCases(one) && !SECURITY_SENTENCES.some(({ begins }) => one.startsWith(begins)));
    expect(without).toEqual([]);
    expect(sentences.length).toBeGreaterThan(100);
  });

  it('has at most one entry, and every entry has a sentence', () => {
    const matches = SECURITY_SENTENCES.map(({ begins }) => [begins, sentences.filter((one) => one.startsWith(begins)).length]);
    expect(matches.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('is shown by tests that exist', () => {
    const missing = SECURITY_SENTENCES.flatMap(({ begins, shownBy = [], because }) => {
      if (shownBy.length === 0 && because === undefined) return [`${begins}: neither tests nor a reason`];
      return shownBy.filter((one) => {
        const [path = '', title = ''] = one.split(/: (.*)/s);
        return !read(path).includes(title);
      });
    });
    expect(missing).toEqual([]);
  });
});

describe('sentencesOf', () => {
  it('reads prose, lists and table rows, and leaves out headings and the heads of tables', () => {
    const text =
      '# T\n\nOne [a](b). **Two** `x.y` and e.g. three:\n- Four.\n- Five\n  goes on. Six.\n\n| h | i |\n|---|---|\n| `a` | b |\n';
    expect(sentencesOf(text)).toEqual(['One a.', 'Two `x.y` and e.g. three:', 'Four.', 'Five goes on.', 'Six.', '`a` | b']);
  });
});
