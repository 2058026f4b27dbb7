import { Command, CommanderError } from 'commander';
import type { CommandContext } from './commands/context.js';
import { COMMANDS } from './commands/index.js';
import { EXIT, type ExitCode, reportFailure } from './failure.js';
import { nearest } from './terminal/suggest.js';
import { VERSION } from './version.js';

/** Runs one command line. Resolves with the exit code; whatever went wrong has been told by then. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const program = createProgram(context);
  let ran = '';
  program.hook('preAction', (_, command) => {
    ran = command.name();
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

/** Commands whose end is a signal: ending them that way is success. */
const SERVERS: readonly string[] = ['up', 'hub', 'agent'];

export function createProgram(context: CommandContext): Command {
  const program = new Command('outrigger')
    .description('Add-ons across fleets of Kubernetes clusters: declared once, installed, upgraded in waves, rolled back, explained.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--kubeconfig <file>', 'how to reach the hub; else KUBECONFIG, ~/.kube/config or the pod')
    .option('--context <name>', 'a context of the kubeconfig other than the current one')
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true });
  for (const create of COMMANDS) program.addCommand(create(context));
  for (const command of everyCommand(program)) prepare(command, context);
  program.on('command:*', ([word = '']: string[]) => {
    const known = program.commands.map((command) => command.name());
    const near = nearest(word, known);
    context.terminal.note(
      `outrigger: there is no command "${word}"${near ? `: did you mean \`outrigger ${near}\`?` : ': `outrigger --help` shows what there is'}\n`,
    );
    throw new CommanderError(EXIT.usage, 'outrigger.unknownCommand', word);
  });
  return program;
}

function prepare(command: Command, { terminal }: CommandContext): void {
  const path = commandPath(command);
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.note(text),
      outputError: (text, write) => write(`outrigger: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError(`(\`${path} --help\` shows what there is)`);
}

export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

export function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
