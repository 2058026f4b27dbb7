import { Command } from 'commander';
import { duration } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export type DecideVerb = 'approve' | 'reject' | 'override' | 'retry';

export interface DecideOptions {
  readonly gate?: string;
  readonly group?: string;
  readonly entry?: string;
  readonly message?: string;
  readonly for?: string;
}

const VERBS: Readonly<Record<DecideVerb, string>> = {
  approve: 'open a gate that waits for an approval',
  reject: 'reject the revision at a gate: no further cluster gets it',
  override: 'open a window or an analysis for this revision, for an hour or as long as --for says',
  retry: 'lift a rejection',
};

/** Returns the commands that create decisions (RolloutApprovals) for the gates of RolloutPolicies. */
export function decideCommands(context: CommandContext): readonly Command[] {
  return (Object.keys(VERBS) as DecideVerb[]).map((verb) => {
    const command = withConnection(new Command(verb))
      .description(VERBS[verb])
      .argument('<add-on>')
      .option('--gate <policy/gate>', 'the gate; may be left out if only one waits')
      .option('--group <name>', 'the group of clusters, for a gate of groups')
      .option('--entry <name>', 'only this entry of the install strategy')
      .option('-m, --message <text>', verb === 'override' ? 'the reason (required)' : 'the reason');
    if (verb === 'override') command.option('--for <duration>', 'how long it stays open, at most 24h (default: 1h)', duration);
    return command.action(async (addOn: string, options: DecideOptions, chosen: Command) => {
      const { decide } = await import('./approve.js');
      await decide(context, { ...connectionOf(chosen), ...options, addOn, verb });
    });
  });
}
