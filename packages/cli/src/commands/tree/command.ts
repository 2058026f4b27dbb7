import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface TreeOptions {
  readonly cluster?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function treeCommand(context: CommandContext): Command {
  return withConnection(new Command('tree'))
    .description('show which add-ons depend on which, on a cluster or over the fleet')
    .argument('[add-on]')
    .option('-c, --cluster <name>', 'on this cluster')
    .option('-o, --output <format>', 'text, json or yaml', 'text')
    .action(async (addOn: string | undefined, options: TreeOptions, command: Command) => {
      const { tree } = await import('./run.js');
      await tree(context, { ...connectionOf(command), ...options, ...(addOn === undefined ? {} : { addOn }) });
    });
}
