import { describe, expect, it } from 'vitest';
import { ATTACK_CASES } from './attack-cases.js';
import { namedTests, page } from './security-cases.js';

const CASE = 'AT' + '-01';

describe('the page of attack cases', () => {
  it('has every case once, in order', () => {
    expect(ATTACK_CASES.map(({ id }) => id)).toEqual(Array.from({ length: 62 }, (_, i) => `AT-${String(i + 1).padStart(2, '0')}`));
  });

  it.each([
    ['a title', `it('${CASE} is denied', () => {});`, [`${CASE} is denied`]],
    ['a title in a template', `describe(\`${CASE} on \${server}\`, () => {});`, [`${CASE} on \${server}`]],
    ['the name of a row', `{ name: "${CASE} it's a row", want: 1 },`, [`${CASE} it's a row`]],
    ['an escaped quote', `it('${CASE} don\\'t', () => {});`, [`${CASE} don't`]],
    ['not a comment', `// ${CASE} 'is' shown below\n/** '${CASE} too' */\n * '${CASE} and this'`, []],
    ['not another word', `it('${CASE}0 or X${CASE}', () => {});`, []],
  ])('reads %s', (_, text, want) => expect(namedTests('a.test.ts', text).map(({ title }) => title)).toEqual(want));

  it('says which cases have no test, and what is not covered', () => {
    const cases = [
      { id: 'A', rule: 'One.' },
      { id: 'B', rule: 'Two.', gap: 'something' },
      { id: 'C', rule: 'Three.' },
    ];
    const text = page(cases, [{ path: 'x.test.ts', title: 'A is so' }]);
    expect(text).toContain('Cases without a test: C.');
    expect(text).toContain('- `x.test.ts`: A is so');
    expect(text).toContain('Not covered: something');
  });
});
