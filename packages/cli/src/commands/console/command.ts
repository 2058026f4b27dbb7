import { Command } from 'commander';
import { repeated, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface ConsoleCommandOptions {
  readonly port?: number;
  readonly host: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** `outrigger console` shows the fleet in a browser. */
export function consoleCommand(context: CommandContext): Command {
  return withConnection(new Command('console'))
    .summary('show the fleet in a browser')
    .description('serve the console: the fleet in a browser, for you on this machine, or on a hub for everyone with a token')
    .option('--port <number>', 'port; default: any free one, with --host 8443', wholeNumber(0, 65_535))
    .option(
      '--host <name>',
      'serve users of the hub under this host name (with a port if it is not 443); each signs in with a token; repeat for more',
      repeated,
      [],
    )
    .option('--tls-cert <file>', 'PEM certificate for --host; without it a proxy in front must speak HTTPS')
    .option('--tls-key <file>', 'PEM key for --tls-cert')
    .action(async (options: ConsoleCommandOptions, command: Command) => {
      const { runConsole } = await import('./run.js');
      await runConsole(context, { ...connectionOf(command), ...options });
    });
}
