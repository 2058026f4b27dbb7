import { type Argument, Command, CommanderError } from 'commander';
import type { CommandContext } from './commands/context.js';
import { EXAMPLES } from './commands/examples.js';
import { COMMAND_GROUPS } from './commands/index.js';
import { CommandError, EXIT, type ExitCode, abridged, reportFailure, usageError } from './failure.js';
import { adviceOnCommand, adviceOnUsage } from './hints.js';
import { clean, cleanLines, showable } from './terminal/clean.js';
import { safeTerminal } from './terminal/terminal.js';
import { nearest } from '@outrigger/rules/explanation';
import { VERSION } from './version.js';

/** Runs one command line. Errors are reported, and the promise resolves with the exit code. */
export async function runProgram(args: readonly string[], given: CommandContext): Promise<ExitCode> {
  const context = withSafeTexts(given);
  const program = createProgram(context);
  let ran: Command | undefined;
  const options = givenOptions(program);
  program.hook('preAction', (_, command) => {
    ran = command;
    requireWords(command);
    for (let one: Command | null = command; one; one = one.parent) requireValues(one, options);
    requireOnce(command, options);
    requireWaiting(command, options);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.signal.aborted && !SERVERS.includes(ran?.name() ?? '') ? EXIT.interrupted : EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (context.signal.aborted && error === context.signal.reason) return EXIT.interrupted;
    return reportFailure(portRefused(error, ran) ?? error, context.terminal);
  }
}

/** Returns the context with a terminal, and questions, in which no text of an object controls the terminal. */
function withSafeTexts(context: CommandContext): CommandContext {
  const { ask } = context;
  return { ...context, terminal: safeTerminal(context.terminal), ...(ask ? { ask: (question: string) => ask(showable(question)) } : {}) };
}

/** The commands that run until they receive a signal. For them, ending on a signal counts as success. */
const SERVERS: readonly string[] = ['up', 'hub', 'agent', 'console'];

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

/**
 * Fails if an argument is empty or a list without a name. Unset variables in a shell script give such arguments, but no object has an empty
 * name.
 */
function requireWords(command: Command): void {
  const index = command.args.findIndex((word) => /^[\s,]*$/.test(word));
  const argument = command.registeredArguments[Math.min(index, command.registeredArguments.length - 1)];
  if (index >= 0) throw usageError(`<${argument?.name() ?? 'argument'}> is empty: is a variable of your script not set?`);
}

/** The values that the command line gives to each option of each command. The parser keeps only the last value. */
type GivenOptions = ReadonlyMap<Command, ReadonlyMap<string, readonly unknown[]>>;

function givenOptions(program: Command): GivenOptions {
  const given = new Map<Command, Map<string, unknown[]>>();
  for (const command of everyCommand(program)) {
    const values = new Map<string, unknown[]>();
    given.set(command, values);
    for (const option of command.options)
      command.on(`option:${option.name()}`, (value: unknown) => {
        const name = option.attributeName();
        values.set(name, [...(values.get(name) ?? []), value]);
      });
  }
  return given;
}

/**
 * The commands with list options that may be empty, such as `--reserved-claim-suffixes ''` for no suffixes. These commands check the names
 * in their options themselves.
 */
const WITH_EMPTY_LISTS: readonly string[] = ['hub', 'agent'];

/**
 * Fails if the value of an option is empty, or a list without a name. Without this check, a command would do nothing for `--cluster ''` or
 * `--cluster ,` and succeed.
 */
function requireValues(command: Command, given: GivenOptions): void {
  if (WITH_EMPTY_LISTS.includes(command.name())) return;
  for (const option of command.options) {
    const values = given.get(command)?.get(option.attributeName()) ?? [];
    const parsed: unknown = command.getOptionValue(option.attributeName());
    const isEmptyList =
      values.length > 0 && Array.isArray(parsed) && parsed.every((one: unknown) => typeof one === 'string' && one.trim() === '');
    if (isEmptyList || values.some((value) => typeof value === 'string' && value.trim() === ''))
      throw usageError(`${option.long ?? option.flags} is empty: is a variable of your script not set?`);
  }
}

/**
 * Fails if an option that takes one value is given twice, because the first value would be ignored. The options of the program can be given
 * before and after the name of the command.
 */
function requireOnce(command: Command, given: GivenOptions): void {
  const levels: Command[] = [];
  for (let one: Command | null = command; one; one = one.parent) levels.push(one);
  for (const option of new Map(levels.flatMap(({ options }) => options).map((one) => [one.attributeName(), one])).values()) {
    const name = option.attributeName();
    const value: unknown = levels.map((one): unknown => one.getOptionValue(name)).find((one) => one !== undefined);
    const isSingle = typeof value === 'string' || typeof value === 'number';
    if (isSingle && levels.flatMap((one) => given.get(one)?.get(name) ?? []).length > 1)
      throw usageError(`${option.long ?? option.flags} is given twice and takes one value`);
  }
}

/** Fails if `--timeout` is given to a command that does not wait, because the command would ignore it. */
function requireWaiting(command: Command, given: GivenOptions): void {
  const [waits] = command.options.filter((option) => ['wait', 'watch'].includes(option.attributeName()));
  if (!waits || !given.get(command)?.has('timeout') || command.getOptionValue(waits.attributeName()) === true) return;
  throw usageError(`--timeout has no effect without ${waits.long}: add ${waits.long}, or leave out --timeout`);
}

/** Returns the error for a port that the command cannot use, with the option that names the port. */
function portRefused(error: unknown, command: Command | undefined): CommandError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('port' in error)) return undefined;
  const { code, port } = error;
  const problem = code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'needs the rights of an administrator' : undefined;
  const option = command?.options.find(
    (one) => one.attributeName().toLowerCase().endsWith('port') && command.getOptionValue(one.attributeName()) === port,
  );
  if (problem === undefined || !option) return undefined;
  return new CommandError(`port ${String(port)} ${problem}: choose another ${option.long}`, EXIT.failed, { cause: error });
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
