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

function sources(): readonly string[] {
  const files = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/generated\//.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  return files;
}

it('AT-59 every command we print quotes the values in it', () => {
  const found = sources()
    .filter((file) => !NOT_PASTED.includes(file))
    .flatMap((file) => unquoted(readFileSync(join(PACKAGES, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

/** Files with usage texts: they show the form of a command line, such as `outrigger why <add-on>`, to a user who wrote another one. */
const USAGE = /^cli\/src\/(hints\.ts|commands\/([^/]+\/)?[^/]*command\.ts)$/;

/** Returns the commands that contain a placeholder, so that a shell refuses them or the program gets the placeholder as a value. */
function withPlaceholder(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/\b(?:kubectl|outrigger) [a-z][^`\n]*(?:`[^`\n]*)?<[a-z][a-z0-9 /-]*>.*/g)].map(([text]) => text);
}

it('notices a placeholder', () => {
  expect(withPlaceholder('`\\`${shell`outrigger upgrade ${name} --to <version>`}\\``')).toHaveLength(1);
  expect(withPlaceholder("'`outrigger why <add-on>`'")).toHaveLength(1);
  expect(withPlaceholder('`\\`${shell`outrigger get ${kind}`}${argument} --cluster <cluster>\\``')).toHaveLength(1);
  expect(withPlaceholder('/** `outrigger why <add-on>` */')).toEqual([]);
  expect(withPlaceholder('shell`outrigger why ${name}`')).toEqual([]);
});

it('no command that we offer contains a placeholder', () => {
  const found = sources()
    .filter((file) => !USAGE.test(file))
    .flatMap((file) => withPlaceholder(readFileSync(join(PACKAGES, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
