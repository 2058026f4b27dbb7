import { commandPath, createProgram, everyCommand, EXAMPLES, recordingTerminal } from '@outrigger/cli';
import type { GeneratedFile } from './files.js';

const MARK_LINE = '<!-- Written by tools/gen from packages/cli: change the commands there and run `npm run gen`. -->';

type Command = ReturnType<typeof createProgram>;

/** Returns the reference page of the command line: every command with its arguments, options and examples. */
export function commandFiles(): readonly GeneratedFile[] {
  const program = createProgram({
    terminal: recordingTerminal(),
    env: {},
    signal: new AbortController().signal,
    runtime: () => Promise.reject(new Error('no command runs here')),
    stdin: async () => '',
  });
  const pages = everyCommand(program).filter((command) => command.name() !== 'help');
  const text = [MARK_LINE, '# Commands', intro(program), ...pages.filter((command) => command !== program).map(section)].join('\n\n');
  return [{ path: 'docs/reference/commands.md', text: `${text}\n` }];
}

function intro(program: Command): string {
  return `How scripts use them, and what the exit codes mean: [the command](../guides/cli.md). Every command also takes:\n\n${optionTable(program)}`;
}

function section(command: Command): string {
  const help = command.createHelp();
  const examples = EXAMPLES[commandPath(command)] ?? [];
  return [
    `## ${commandPath(command)}`,
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    sentence(help.commandDescription(command)),
    table(
      'argument',
      help.visibleArguments(command).map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ),
    optionTable(command),
    examples.length > 0 ? `\`\`\`sh\n${examples.join('\n')}\n\`\`\`` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function optionTable(command: Command): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return table(
    'option',
    options.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  );
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  return [
    `| ${title} | |`,
    '|---|---|',
    ...rows.map(([term, text]) => `| \`${term}\` | ${text.replaceAll('|', '\\|').replaceAll('<', '\\<')} |`),
  ].join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
