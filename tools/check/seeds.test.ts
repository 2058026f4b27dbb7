import { describe, expect, it } from 'vitest';
import { seedBreaches } from './seeds.js';

const files: Readonly<Record<string, string>> = { 'a/x.test.ts': "it('installs it', () => {})" };
const read = (file: string): string | undefined => files[file];
const TEST = '| one | a/x.test.ts | installs it |';

describe('the page that maps sentences to tests', () => {
  it.each([
    { name: 'a sentence with a test', page: `| 1 | "It installs." | one |\n${TEST}`, want: [] },
    { name: 'a sentence with a test and a reading', page: `| 1 | "It installs." | one. Reading: late |\n${TEST}`, want: [] },
    { name: 'a sentence with a reading alone', page: `| 1 | "a" | one |\n| 2 | "b" | Reading: not ours |\n${TEST}`, want: [] },
    { name: 'a bar inside of a sentence', page: `| 1 | "a \\|\\| b" | one |\n${TEST}`, want: [] },
    {
      name: 'a sentence with neither',
      page: `| 1 | "a" | one |\n| 2 | "b" | |\n${TEST}`,
      want: ['line 2: name a test, or write "Reading: " and the reason'],
    },
    {
      name: 'an empty reading',
      page: `| 1 | "a" | one |\n| 2 | "b" | Reading: |\n${TEST}`,
      want: ['line 2: the table "Tests" has no row "Reading:"'],
    },
    { name: 'an unknown test', page: `| 1 | "a" | one, two |\n${TEST}`, want: ['line 1: the table "Tests" has no row "two"'] },
    {
      name: 'a title that is gone',
      page: '| 1 | "a" | one |\n| one | a/x.test.ts | removes it |',
      want: ['test "one": a/x.test.ts has no title "removes it"'],
    },
    {
      name: 'a file that is gone',
      page: '| 1 | "a" | one |\n| one | a/y.test.ts | x |',
      want: ['test "one": there is no file a/y.test.ts'],
    },
    { name: 'a test without a use', page: `| 1 | "a" | Reading: no |\n${TEST}`, want: ['test "one": no sentence uses it'] },
    { name: 'a page without sentences', page: '', want: ['no row begins with the line of a document'] },
  ])('$name', ({ page, want }) => expect(seedBreaches(page, read)).toEqual(want));
});
