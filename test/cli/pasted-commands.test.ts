import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/** Files with commands that are not pasted: a shell script, and commands that name only generated objects. */
const NOT_PASTED = [
  'cli/src/commands/completion/run.ts',
  'console-contract/src/synthetic/gates.ts',
  'console-contract/src/synthetic/pages.ts',
];

/** Returns the commands that contain a value that the tag `shell` does not quote. */
function unquoted(source: string): readonly string[] {
  const withoutQuoted = source.replaceAll(/\bshell`(?:[^`\\]|\\.)*`/g, '');
  return [...withoutQuoted.matchAll(/\b(?:kubectl|outrigger) [a-z]+(?:[ -][^`\n]*?)?\$\{.*/g)].map(([text]) => text);
}

it('notices a value that is not quoted', () => {
  expect(unquoted('const hint = `kubectl get pods -n ${namespace}`;')).toHaveLength(1);
  expect(unquoted('`run \\`outrigger why ${name} --cluster c\\``')).toHaveLength(1);
  expect(unquoted('shell`kubectl get pods -n ${namespace}`')).toEqual([]);
});

it('AT-59 every command we print quotes the values in it', () => {
  const files = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/generated\//.test(file) && !NOT_PASTED.includes(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) => unquoted(readFileSync(join(PACKAGES, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
