import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgram, recordingTerminal } from '@outrigger/cli';
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

/** Files with usage texts. They show the form of a command line, such as `outrigger why <add-on>`, to a user who typed it wrongly. */
const USAGE = /^cli\/src\/(hints\.ts|commands\/([^/]+\/)?[^/]*command\.ts)$/;

/** Returns the commands that contain a placeholder. A shell refuses such a command, or the program gets the placeholder as a value. */
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

type Command = ReturnType<typeof createProgram>;

const program: Command = createProgram({
  env: {},
  terminal: recordingTerminal(),
  signal: new AbortController().signal,
  runtime: () => Promise.reject(new Error('no runtime')),
  stdin: () => Promise.resolve(''),
});

/** The verbs of kubectl that do nothing without the name of an object or a file. */
const NEEDS_NAME = /^kubectl (edit|describe|delete|annotate|label|patch|apply|logs|exec)\b(?! \S+ \S|( -f| \S+\/)\S*)/;

/** Returns the commands that lack an argument or an option that they need. Such a command fails if a user runs it as it is. */
function incomplete(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const texts = [...code.matchAll(/(?:\bshell`|\\`|'|"|'[^'\n]*`)((?:outrigger|kubectl) [a-z](?:\$\{[^}]*\}+|[^`'"\\\n])*)/g)].map(
    ([, text]) => (text ?? '').replaceAll(/\$\{[^}]*\}+/g, 'value').trim(),
  );
  return texts.filter((text) => (text.startsWith('kubectl') ? NEEDS_NAME.test(text) : lacksWords(program, text.split(/\s+/).slice(1))));
}

function lacksWords(command: Command, words: readonly string[]): boolean {
  const [word, ...rest] = words;
  const sub = command.commands.find((one) => one.name() === word);
  if (sub) return lacksWords(sub, rest);
  const operands: string[] = [];
  const given = new Set<string>();
  for (let index = 0; index < words.length; index++) {
    const one = words[index] ?? '';
    const option = command.options.find(({ long, short }) => long === one || short === one);
    if (option) given.add(option.attributeName());
    if (option?.required || ['--kubeconfig', '--context'].includes(one)) index++;
    else if (one === '>') break;
    else if (!one.startsWith('-')) operands.push(one);
  }
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  return operands.length < needed || command.options.some((option) => option.mandatory && !given.has(option.attributeName()));
}

/** Files whose commands are in help texts, or in a message for developers of this program. */
const HELP_TEXTS = ['cli/src/commands/examples.ts', 'cli/src/commands/options.ts', 'cli/src/install/apply.ts'];

it('notices a command that lacks an argument or a required option', () => {
  expect(incomplete('`until \\`outrigger rollout retry\\` lifts it`')).toEqual(['outrigger rollout retry']);
  expect(incomplete('`\\`outrigger config get\\` shows it`')).toHaveLength(1);
  expect(incomplete("'run `outrigger lint` before'")).toHaveLength(1);
  expect(incomplete('shell`outrigger enable ${addOn}`')).toHaveLength(1);
  expect(incomplete('`\\`kubectl edit addondeploymentconfig\\``')).toHaveLength(1);
  expect(incomplete('shell`kubectl describe placement ${name} -n ${namespace}`')).toEqual([]);
  expect(incomplete('shell`outrigger enable ${addOn} --cluster ${cluster}`')).toEqual([]);
  expect(incomplete("'outrigger get clusters'")).toEqual([]);
});

it('every command that we offer has its arguments and required options', () => {
  const found = sources()
    .filter((file) => !USAGE.test(file) && !HELP_TEXTS.includes(file))
    .flatMap((file) => incomplete(readFileSync(join(PACKAGES, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
