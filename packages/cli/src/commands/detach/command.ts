import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface DetachOptions {
  readonly yes?: true;
}

export function detachCommand(context: CommandContext): Command {
  return withConnection(new Command('detach'))
    .summary('take a cluster out of the fleet')
    .description('take a cluster out of the fleet: its add-ons are removed first')
    .argument('<cluster>')
    .option('--yes', 'confirm: all add-ons on the cluster are removed')
    .action(async (cluster: string, options: DetachOptions, command: Command) => {
      const { detach } = await import('./run.js');
      await detach(context, { ...connectionOf(command), ...options, cluster });
    });
}
