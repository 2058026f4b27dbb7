import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';
import { type WaitOptions, withWait } from '../wait-options.js';

export interface DisableOptions extends WaitOptions {
  readonly cluster: readonly string[];
  readonly force?: true;
}

export function disableCommand(context: CommandContext): Command {
  return withWait(withConnection(new Command('disable')), 'it is gone')
    .description('remove an add-on from clusters')
    .argument('<add-on>')
    .requiredOption('-c, --cluster <names>', 'the clusters, with commas or several times', texts)
    .option('--force', 'remove it although your rights do not show whether a strategy puts it back')
    .action(async (addOn: string, options: DisableOptions, command: Command) => {
      const { disable } = await import('./run.js');
      await disable(context, { ...connectionOf(command), ...options, addOn });
    });
}
