import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface WhyOptions {
  readonly cluster: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function whyCommand(context: CommandContext): Command {
  return withConnection(new Command('why'))
    .summary('explain why an add-on is as it is on a cluster')
    .description('explain why an add-on is as it is on a cluster: present, absent, waiting or blocked')
    .argument('<add-on>')
    .requiredOption('-c, --cluster <name>', 'the cluster')
    .addOption(formatOption('text', 'json', 'yaml'))
    .action(async (addOn: string, options: WhyOptions, command: Command) => {
      const { why } = await import('./run.js');
      await why(context, { ...connectionOf(command), ...options, addOn });
    });
}
