import { Command } from 'commander';
import { label, texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, PLAN_OPTION, withConnection } from '../options.js';
import { type WaitOptions, withWait } from '../wait-options.js';

export interface EnableOptions extends WaitOptions {
  readonly cluster: readonly string[];
  readonly to?: string;
  readonly installNamespace?: string;
  readonly plan?: true;
}

export function enableCommand(context: CommandContext): Command {
  return withWait(withConnection(new Command('enable')), 'the add-on is available there')
    .description('install an add-on on clusters by hand')
    .argument('<add-on>')
    .requiredOption('-c, --cluster <names>', 'the clusters, with commas or several times', texts)
    .option('--to <version>', 'a version other than the default')
    .option('--install-namespace <name>', 'where its agent runs on the cluster', label)
    .option('--plan', PLAN_OPTION)
    .action(async (addOn: string, options: EnableOptions, command: Command) => {
      const request = { ...connectionOf(command), ...options, addOn };
      if (options.plan) {
        const { planEnable } = await import('./plan.js');
        return planEnable(context, request);
      }
      const { enable } = await import('./run.js');
      await enable(context, request);
    });
}
