import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface RenderOptions {
  readonly cluster?: string;
  readonly placement?: string;
  readonly to?: string;
  readonly filename?: readonly string[];
  readonly output: 'yaml' | 'json';
  readonly works?: true;
}

export function renderCommand(context: CommandContext): Command {
  return withConnection(new Command('render'))
    .summary('show exactly what a cluster gets')
    .description('show exactly what a cluster gets of an add-on, from the hub or from files alone')
    .argument('[add-on]', 'may be left out where the files declare one only')
    .option('-c, --cluster <name>', 'the cluster')
    .option('--placement <namespace/name>', 'as a cluster of this entry of the strategy')
    .option('--to <version>', 'as if the cluster went to this version')
    .option('-f, --filename <paths>', 'files or folders instead of the hub; - for standard input', texts)
    .addOption(formatOption('yaml', 'json'))
    .option('--works', 'the ManifestWorks that carry them')
    .action(async (addOn: string | undefined, options: RenderOptions, command: Command) => {
      const { render } = await import('./run.js');
      await render(context, { ...connectionOf(command), ...options, ...(addOn === undefined ? {} : { addOn }) });
    });
}
