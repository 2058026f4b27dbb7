import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface WhyOptions {
  readonly cluster: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function whyCommand(context: CommandContext): Command {
  return withConnection(new Command('why'))
    .description('explain why an add-on is as it is on a cluster: present, absent, waiting or blocked')
    .argument('<add-on>')
    .requiredOption('-c, --cluster <name>', 'the cluster')
    .option('-o, --output <format>', 'text, json or yaml', 'text')
    .action(async (addOn: string, options: WhyOptions, command: Command) => {
      const { why } = await import('./run.js');
      await why(context, { ...connectionOf(command), ...options, addOn });
    });
}
