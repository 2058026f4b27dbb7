import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface DiffOptions {
  readonly cluster?: string;
  readonly placement?: string;
  readonly to?: string;
  readonly filename?: readonly string[];
  readonly revisions?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function diffCommand(context: CommandContext): Command {
  return withConnection(new Command('diff'))
    .summary('show what would change on a cluster')
    .description('show what would change on a cluster: files, or the declaration, against what it has (exit code 5 if anything)')
    .argument('[add-on]', 'may be left out where the files declare one only')
    .option('-c, --cluster <name>', 'the cluster')
    .option('--placement <namespace/name>', 'as a cluster of this entry of the strategy')
    .option('--to <version>', 'as if the cluster went to this version')
    .option('-f, --filename <paths>', 'files or folders laid over the hub; - for standard input', texts)
    .option('--revisions <a..b>', 'instead: what changed between two revisions of `outrigger rollout history`, on no cluster in particular')
    .addOption(formatOption('text', 'json', 'yaml'))
    .action(async (addOn: string | undefined, options: DiffOptions, command: Command) => {
      const request = { ...connectionOf(command), ...options, ...(addOn === undefined ? {} : { addOn }) };
      if (options.revisions !== undefined) {
        const { diffRevisions } = await import('./revisions.js');
        return diffRevisions(context, { ...request, revisions: options.revisions });
      }
      const { diff } = await import('./run.js');
      await diff(context, request);
    });
}
