import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Reader, readerIn, typistIn } from './readers.js';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** Commands that the guide tests do not run, each with the test that runs it instead. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npm (start|test)\b/, 'test/cli/process.test.ts runs the command npm start runs'],
  [/^npm (pack|install)\b/, 'test/kube/cli-package.test.ts'],
  [/^(export|alias) /, 'the world has its kubeconfig'],
  [/^outrigger (up|down)\b/, 'test/cli/process.test.ts'],
  [/--kubeconfig fleet\/kubeconfig/, 'test/cli/process.test.ts'],
  [/^outrigger install hub .*--apply/, 'test/kube/cli.test.ts'],
  [/^outrigger uninstall .*--apply/, 'test/kube/cli.test.ts'],
  [/--cluster-context/, 'test/kube/cli.test.ts'],
  [/^outrigger (hub|agent)\b/, 'test/kube/cli.test.ts'],
  [/^outrigger console\b/, 'test/console/users-story.ts'],
  [/^source /, 'test/cli/completion.test.ts'],
];

export const isTypedElsewhere = (line: string): boolean => ELSEWHERE.some(([pattern]) => pattern.test(line));

/** Commands that exit with a code other than 0, as documented. */
const CODES: Readonly<Record<string, number>> = {
  'outrigger diff hello --to v2 --cluster cluster1': 5,
  // This command fails, because no removal is pending in this fleet.
  'outrigger rollout confirm hello': 1,
  'kubectl auth can-i patch addonrollouts.outrigger.dev --as olivia': 1,
};

export const exitCodeOf = (line: string): number => CODES[line] ?? 0;

export interface TypedLine {
  readonly line: string;
  /** The user who types the command: the user of the guide, or the one that a comment after the command names. */
  readonly typist: Reader;
}

export interface Block {
  readonly commands: readonly TypedLine[];
  /** The output that the page shows after the block; empty if it shows none. */
  readonly screen: string;
}

/** Returns the blocks of commands, each with the block of plain text that follows it directly. */
export function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)].map((found) => {
    const [, commands = '', screen = ''] = found;
    const reader = readerAt(text, found.index);
    return {
      commands: commands.split('\n').flatMap((written) => {
        const [command = '', comment = ''] = written.split(/\s+#/);
        const line = command.replace(/^npx /, '').trim();
        return line === '' || isTypedElsewhere(line) ? [] : [{ line, typist: typistIn(comment, reader) }];
      }),
      screen,
    };
  });
}

/** Returns the reader that the section or the guide names. If neither names one, the reader is an administrator of the hub. */
function readerAt(text: string, offset: number): Reader {
  const start = text.lastIndexOf('\n## ', offset);
  const inSection = /^Reader: .*$/m.exec(start < 0 ? '' : text.slice(start, offset))?.[0];
  const ofGuide = /^Reader: .*$/m.exec(text)?.[0];
  const line = inSection ?? ofGuide;
  return line === undefined ? undefined : readerIn(line);
}

export async function guides(): Promise<readonly { readonly page: string; readonly text: string }[]> {
  const names = (await readdir(`${ROOT}docs/guides`)).filter((name) => name !== 'README.md');
  return Promise.all(
    names.map(async (name) => ({
      page: `docs/guides/${name.replace('.md', '')}`,
      text: await readFile(`${ROOT}docs/guides/${name}`, 'utf8'),
    })),
  );
}

/**
 * Whether this word makes the command run until it is interrupted. The guide tests leave the word out; packages/cli/src/commands/watch.ts
 * has its own tests.
 */
export const isEndless = (command: string, word: string): boolean =>
  command.startsWith('outrigger get') && (word === '--watch' || word === '-w');
