import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface DiffOptions {
  readonly cluster: string;
  readonly placement?: string;
  readonly to?: string;
  readonly filename?: readonly string[];
}

export function diffCommand(context: CommandContext): Command {
  return withConnection(new Command('diff'))
    .summary('show what would change on a cluster')
    .description('show what would change on a cluster: files, or the declaration, against what it has (exit code 5 if anything)')
    .argument('[add-on]', 'may be left out where the files declare one only')
    .requiredOption('-c, --cluster <name>', 'the cluster')
    .option('--placement <namespace/name>', 'as a cluster of this entry of the strategy')
    .option('--to <version>', 'as if the cluster went to this version')
    .option('-f, --filename <paths>', 'files or folders laid over the hub; - for standard input', texts)
    .action(async (addOn: string | undefined, options: DiffOptions, command: Command) => {
      const { diff } = await import('./run.js');
      await diff(context, { ...connectionOf(command), ...options, ...(addOn === undefined ? {} : { addOn }) });
    });
}
