import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface WhyOptions {
  readonly cluster?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function whyCommand(context: CommandContext): Command {
  return withConnection(new Command('why'))
    .summary('explain why an add-on is as it is, on a cluster or in the fleet')
    .description(
      'explain why an add-on is as it is: on one cluster, from the declaration to the cause; without --cluster in the whole fleet, with the causes counted (exit code 5 if something is wrong)',
    )
    .argument('<add-on>')
    .option('-c, --cluster <name>', 'explain it on this cluster')
    .addOption(formatOption('text', 'json', 'yaml'))
    .action(async (addOn: string, options: WhyOptions, command: Command) => {
      const { why } = await import('./run.js');
      await why(context, { ...connectionOf(command), ...options, addOn });
    });
}
