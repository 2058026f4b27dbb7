import { Command } from 'commander';
import { VERSION } from '../../version.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export function versionCommand(context: CommandContext): Command {
  return withConnection(new Command('version'))
    .summary('print the version, also of the hub')
    .description('print the version of this command, and of the hub if one answers')
    .option('--client', 'do not ask the hub')
    .action(async (options: { readonly client?: true }, command: Command) => {
      context.terminal.out(`outrigger ${VERSION} (Node.js ${process.versions.node})\n`);
      if (options.client) return;
      const { hubVersion } = await import('./run.js');
      context.terminal.out(`hub ${await hubVersion(context, connectionOf(command))}\n`);
    });
}
