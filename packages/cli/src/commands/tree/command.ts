import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface TreeOptions {
  readonly cluster?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function treeCommand(context: CommandContext): Command {
  return withConnection(new Command('tree'))
    .summary('show which add-ons depend on which')
    .description('show which add-ons depend on which, on a cluster or over the fleet')
    .argument('[add-on]')
    .option('-c, --cluster <name>', 'on this cluster')
    .addOption(formatOption('text', 'json', 'yaml'))
    .action(async (addOn: string | undefined, options: TreeOptions, command: Command) => {
      const { tree } = await import('./run.js');
      await tree(context, { ...connectionOf(command), ...options, ...(addOn === undefined ? {} : { addOn }) });
    });
}
