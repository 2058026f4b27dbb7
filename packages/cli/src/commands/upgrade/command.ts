import { Command, Option } from 'commander';
import { usageError } from '../../failure.js';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, PLAN_OPTION, withConnection } from '../options.js';
import { type WaitOptions, withWait } from '../wait-options.js';

interface UpgradeOptions extends WaitOptions {
  readonly to?: string;
  readonly clear?: true;
  readonly cluster?: readonly string[];
  readonly placement?: string;
  readonly plan?: true;
}

/**
 * The version that an add-on should have on the given clusters or entry. Without `to`, the override is removed and the clusters follow the
 * fleet again.
 */
export interface UpgradeRequest extends WaitOptions {
  readonly addOn: string;
  readonly to: string | undefined;
  readonly cluster?: readonly string[];
  readonly placement?: string;
  /** Whether to show the plan of the change instead of making it. */
  readonly plan?: true;
}

export function upgradeCommand(context: CommandContext): Command {
  return withWait(withConnection(new Command('upgrade')), 'the rollout is done')
    .summary('move an add-on to a version')
    .description('move an add-on to a version: everywhere, on one entry of its strategy, or on single clusters')
    .argument('<add-on>')
    .option('--to <version>', 'the version')
    .option('--placement <namespace/name>', 'only the clusters of this Placement')
    .addOption(new Option('-c, --cluster <names>', 'only these clusters, outside of any rollout').argParser(texts).conflicts('placement'))
    .addOption(new Option('--clear', 'let these clusters, or this Placement, follow the fleet again').conflicts('to'))
    .option('--plan', PLAN_OPTION)
    .action(async (addOn: string, { clear, ...options }: UpgradeOptions, command: Command) => {
      if (clear && !options.cluster && options.placement === undefined)
        throw usageError('which clusters follow the fleet again? Add --cluster <names> or --placement <namespace/name>');
      const request = { ...connectionOf(command), ...options, to: options.to, addOn };
      if (!clear && options.to === undefined) {
        const { askForVersion } = await import('./run.js');
        await askForVersion(context, request);
      }
      if (options.plan) {
        const { planUpgrade } = await import('./plan.js');
        return planUpgrade(context, request);
      }
      const { upgrade } = await import('./run.js');
      await upgrade(context, request);
    });
}
