import { Command } from 'commander';
import { usageError } from '../../failure.js';
import { wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, PLAN_OPTION, withConnection } from '../options.js';
import { type WaitOptions, withWait } from '../wait-options.js';

export interface RollbackOptions extends WaitOptions {
  readonly toRevision?: number;
  readonly placement?: string;
  readonly all?: true;
  readonly clear?: true;
  readonly yes?: true;
  readonly plan?: true;
}

export function rollbackCommand(context: CommandContext): Command {
  return withWait(withConnection(new Command('rollback')), 'the rollout is done')
    .summary('put an add-on back to an earlier revision, to the byte')
    .description('put an add-on back to the exact content of an earlier revision, and pin it there')
    .argument('<add-on>')
    .option(
      '--to-revision <number>',
      'a revision of `outrigger rollout history`; else the latest before the current that completed',
      wholeNumber(1),
    )
    .option('--placement <namespace/name>', 'only the clusters of this entry of the strategy')
    .option('--all', 'every entry to its own latest target that completed, also if they differ')
    .option('--clear', 'remove the pin: the add-on follows its declaration again')
    .option('--yes', 'with --to-revision or --clear: do not ask, even if that content failed before')
    .option('--plan', PLAN_OPTION)
    .action(async (addOn: string, options: RollbackOptions, command: Command) => {
      requireOneWay(options);
      const request = { ...connectionOf(command), ...options, addOn };
      if (options.plan) {
        const { planRollback } = await import('./plan.js');
        return planRollback(context, request);
      }
      const { rollback } = await import('./run.js');
      await rollback(context, request);
    });
}

/** Fails if two options name different ways back, because one of them would be ignored. */
function requireOneWay({ clear, toRevision, placement, all }: RollbackOptions): void {
  if (clear && toRevision !== undefined) throw usageError('--clear removes a pin, and --to-revision sets one: use one of them');
  const other = clear ? '--clear' : toRevision !== undefined ? '--to-revision' : placement !== undefined ? '--placement' : undefined;
  if (all && other !== undefined) throw usageError(`--all puts every entry back to its own revision: leave out --all or ${other}`);
}
