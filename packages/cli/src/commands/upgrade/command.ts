import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface UpgradeOptions {
  readonly to: string;
  readonly cluster?: readonly string[];
  readonly placement?: string;
}

export function upgradeCommand(context: CommandContext): Command {
  return withConnection(new Command('upgrade'))
    .summary('move an add-on to a version')
    .description('move an add-on to a version: everywhere, on one entry of its strategy, or on single clusters')
    .argument('<add-on>')
    .requiredOption('--to <version>', 'the version')
    .option('--placement <namespace/name>', 'only the clusters of this Placement')
    .option('-c, --cluster <names>', 'only these clusters, outside of any rollout', texts)
    .action(async (addOn: string, options: UpgradeOptions, command: Command) => {
      const { upgrade } = await import('./run.js');
      await upgrade(context, { ...connectionOf(command), ...options, addOn });
    });
}
