import { Command } from 'commander';
import type { OutputFormat } from '../../terminal/output-formats.js';
import { usageError } from '../../failure.js';
import { texts, timeLimit, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { decideCommands } from './approve-command.js';
import { connectionOf, formatOption, outputOption, withConnection } from '../options.js';

export interface StatusOptions {
  readonly watch?: true;
  readonly strict?: true;
  readonly timeout: number;
  readonly output: 'text' | 'json' | 'yaml';
}

export function rolloutCommand(context: CommandContext): Command {
  const rollout = new Command('rollout').description('follow and steer the rollouts of an add-on');
  const verb = (name: string, description: string): Command =>
    withConnection(new Command(name)).description(description).argument('<add-on>');
  rollout.addCommand(
    verb('status', 'how far it is; with --watch until it is done (exit code 5 if it is halted)')
      .option('-w, --watch', 'follow it until it is done')
      .option('--strict', 'exit code 5 also if clusters are away and did not get the target')
      .option('--timeout <duration>', 'give up following after this long, such as 90s or 5m; a number is seconds, 0 never', timeLimit(0), 0)
      .addOption(formatOption('text', 'json', 'yaml'))
      .action(async (addOn: string, options: StatusOptions, command: Command) => {
        const { status } = await import('./status.js');
        await status(context, { ...connectionOf(command), ...options, addOn });
      }),
  );
  const steering = [
    ['pause', 'start no further cluster; those in flight finish'],
    ['resume', 'go on'],
    ['confirm', 'allow the removals that wait for it'],
  ] as const;
  for (const [name, description] of steering) {
    rollout.addCommand(
      verb(name, description).action(async (addOn: string, _: unknown, command: Command) => {
        const run = await import('./run.js');
        await run[name](context, { ...connectionOf(command), addOn });
      }),
    );
  }
  rollout.addCommand(
    verb('abort', 'go back to the revision that completed last, and pin it there').action(
      async (addOn: string, _: unknown, command: Command) => {
        const { abort } = await import('./run.js');
        await abort(context, { ...connectionOf(command), addOn });
      },
    ),
  );
  rollout.addCommand(
    verb('skip', 'leave clusters out of the rollout: each keeps the version it has')
      .requiredOption('-c, --cluster <names>', 'the clusters, with commas or several times', texts)
      .action(async (addOn: string, { cluster }: { readonly cluster: readonly string[] }, command: Command) => {
        const { skip } = await import('./run.js');
        await skip(context, { ...connectionOf(command), addOn, cluster });
      }),
  );
  for (const command of decideCommands(context)) rollout.addCommand(command);
  rollout.addCommand(
    verb('restart', 'print the commands that restart its workloads on a cluster; the hub has no connection to their pods')
      .requiredOption('-c, --cluster <name>', 'the cluster')
      .action(async (addOn: string, { cluster }: { readonly cluster: string }, command: Command) => {
        const { restart } = await import('./restart.js');
        await restart(context, { ...connectionOf(command), addOn, cluster });
      }),
  );
  rollout.addCommand(
    verb('history', 'the revisions it went through')
      .option('--revision <n>', 'how each cluster came to this revision: outcome, admission and duration', wholeNumber(1))
      .addOption(outputOption())
      .action(async (addOn: string, options: { readonly output: OutputFormat; readonly revision?: number }, command: Command) => {
        const { revision } = options;
        if (revision !== undefined) {
          if (options.output === 'name')
            throw usageError('-o name: the record of a revision is no object that has a name; use json or yaml');
          const { clusterHistory } = await import('./history.js');
          await clusterHistory(context, { ...connectionOf(command), ...options, addOn, revision });
          return;
        }
        const { get } = await import('../get/run.js');
        await get(context, { ...connectionOf(command), ...options, kind: 'revisions', name: addOn });
      }),
  );
  return rollout;
}
