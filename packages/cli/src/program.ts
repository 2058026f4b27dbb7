import { type Argument, Command, CommanderError } from 'commander';
import type { CommandContext } from './commands/context.js';
import { EXAMPLES } from './commands/examples.js';
import { COMMAND_GROUPS } from './commands/index.js';
import { EXIT, type ExitCode, abridged, reportFailure, usageError } from './failure.js';
import { adviceOnCommand, adviceOnUsage } from './hints.js';
import { clean, cleanLines } from './terminal/clean.js';
import { nearest } from '@outrigger/rules/explanation';
import { VERSION } from './version.js';

/** Runs one command line. Errors are reported, and the promise resolves with the exit code. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const program = createProgram(context);
  let ran = '';
  const given = countOptions(program);
  program.hook('preAction', (_, command) => {
    ran = command.name();
    requireWords(command);
    requireOnce(command, given);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.signal.aborted && !SERVERS.includes(ran) ? EXIT.interrupted : EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (context.signal.aborted && error === context.signal.reason) return EXIT.interrupted;
    return reportFailure(error, context.terminal);
  }
}

/** The commands that run until they receive a signal. For them, ending on a signal counts as success. */
const SERVERS: readonly string[] = ['up', 'hub', 'agent'];

export function createProgram(context: CommandContext): Command {
  const program = new Command('outrigger')
    .usage('<command> [options]')
    .description('Add-ons across fleets of Kubernetes clusters: declared once, installed, upgraded in waves, rolled back, explained.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--kubeconfig <file>', 'how to reach the hub; else KUBECONFIG, ~/.kube/config or the pod')
    .option('--context <name>', 'a context of the kubeconfig other than the current one')
    .enablePositionalOptions();
  for (const { title, commands } of COMMAND_GROUPS) {
    for (const create of commands) program.addCommand(create(context).helpGroup(`${title}:`));
  }
  program.addCommand(helpCommand(program, context), { hidden: true });
  for (const command of everyCommand(program)) prepare(command, context);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0))
    group.on('command:*', (words: readonly string[]) => unknownCommand(words, group, context));
  // Without arguments, the help is printed and the command succeeds.
  program.action((_, command: Command) => {
    const [word] = command.args;
    if (word?.startsWith('-')) program.error(`error: unknown option '${word}'`);
    if (word !== undefined) unknownCommand(command.args, program, context);
    program.outputHelp();
  });
  // An unknown command with options is reported as an unknown command, not as an unknown option.
  return program.allowExcessArguments().allowUnknownOption();
}

/** Fails if an argument is empty. An unset variable in a shell script gives an empty argument, but no object has an empty name. */
function requireWords(command: Command): void {
  const index = command.args.findIndex((word) => word.trim() === '');
  const argument = command.registeredArguments[Math.min(index, command.registeredArguments.length - 1)];
  if (index >= 0) throw usageError(`<${argument?.name() ?? 'argument'}> is empty: is a variable of your script not set?`);
}

/** Counts how often each option is given. The parser keeps only the last value. */
function countOptions(program: Command): ReadonlyMap<Command, ReadonlyMap<string, number>> {
  const given = new Map<Command, Map<string, number>>();
  for (const command of everyCommand(program)) {
    const counts = new Map<string, number>();
    given.set(command, counts);
    for (const option of command.options)
      command.on(`option:${option.name()}`, () => counts.set(option.attributeName(), (counts.get(option.attributeName()) ?? 0) + 1));
  }
  return given;
}

/** Fails if an option that takes one value is given twice, because the first value would be ignored. */
function requireOnce(command: Command, given: ReadonlyMap<Command, ReadonlyMap<string, number>>): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    const isSingle = typeof value === 'string' || typeof value === 'number';
    if (isSingle && (given.get(command)?.get(option.attributeName()) ?? 0) > 1)
      throw usageError(`${option.long ?? option.flags} is given twice and takes one value`);
  }
}

function helpCommand(program: Command, context: CommandContext): Command {
  return new Command('help')
    .argument('[command...]')
    .action((words: readonly string[]) => {
      let found = program;
      for (const word of words) found = found.commands.find((one) => one.name() === word) ?? unknownCommand([word], found, context);
      found.outputHelp();
    })
    .description('show the help of a command');
}

function unknownCommand(words: readonly string[], parent: Command, { terminal }: CommandContext): never {
  const [word = ''] = words;
  const near = nearest(
    word,
    parent.commands.map((command) => command.name()),
  );
  const path = commandPath(parent);
  const advice =
    adviceOnCommand(words, parent) ?? (near === undefined ? `run \`${path} --help\` for usage` : `did you mean \`${path} ${near}\`?`);
  terminal.note(`outrigger: there is no command "${abridged(clean(word))}"${parent.parent ? ` of \`${path}\`` : ''}: ${advice}\n`);
  throw new CommanderError(EXIT.usage, 'outrigger.unknownCommand', word);
}

function prepare(command: Command, { terminal }: CommandContext): void {
  const path = commandPath(command);
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .configureHelp({
      sortSubcommands: false,
      showGlobalOptions: true,
      helpWidth: Math.min(terminal.columns, MAX_HELP_WIDTH),
      // Lists the name and arguments of each command, but not `[options]`, because every command has options.
      subcommandTerm: (sub) => [sub.name(), ...sub.registeredArguments.map(argumentTerm)].join(' '),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.note(text),
      outputError: (text, write) => write(`outrigger: ${abridged(cleanLines(adviceOnUsage(text.replace(/^error: /, ''), command)))}`),
    })
    .showHelpAfterError(`Run \`${path} --help\` for usage.`);
  const examples = EXAMPLES[path] ?? [];
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}

/** The help is not wider than this, because longer lines are hard to read on any terminal. */
const MAX_HELP_WIDTH = 110;

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

export function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
