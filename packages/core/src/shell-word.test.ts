import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shell } from './shell-word.js';

/**
 * Strings that the API accepts as names. RBAC accepts every path segment as a name, so these are nearly all strings. NUL is left out,
 * because it cannot be in an argument of a program.
 */
const names = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    "it's",
    '$(touch x)',
    '`touch x`',
    'a;b',
    'a b',
    '"',
    '\\',
    "\\'",
    '\n',
    '~',
    '*',
    '!x',
    '#',
    '--as=admin',
    '&& rm -rf x',
    '${HOME}',
    '%s',
  ),
  fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/),
);

describe('a command for a person to paste', () => {
  it('AT-59 is read by a shell as the words that were meant', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, names), { minLength: 20, maxLength: 20 }), (pairs) => {
        const script = pairs.map(([a, b]) => shell`printf '%s\\0' get ${a} --name=${b} ${a}/${b}`).join('\n');
        const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
        expect(words).toEqual(pairs.flatMap(([a, b]) => ['get', a, `--name=${b}`, `${a}/${b}`]));
      }),
      { numRuns: 25 },
    );
  });

  it('leaves plain names as they are', () => {
    expect(shell`kubectl get pods -n ${'open-cluster-management'} ${'system:open-cluster-management:c1'}`).toBe(
      'kubectl get pods -n open-cluster-management system:open-cluster-management:c1',
    );
  });
});
