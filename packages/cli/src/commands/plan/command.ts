import { Command, InvalidArgumentError, Option } from 'commander';
import { usageError } from '../../failure.js';
import { texts, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface PlanOptions {
  readonly to?: string;
  readonly revision?: number;
  readonly filename?: readonly string[];
  readonly fail?: number | readonly string[];
  readonly offline?: number;
  readonly seed: number;
  readonly from?: string;
  readonly output: 'text' | 'json' | 'yaml';
}

export function planCommand(context: CommandContext): Command {
  return withConnection(new Command('plan'))
    .summary('show what a change would do, before it is made')
    .description(
      'show which clusters a change would move, what changes there, when, and what stands in the way (exit code 5 if anything does); nothing is written',
    )
    .argument('<add-on>')
    .addOption(new Option('--to <version>', 'plan an upgrade to this version').conflicts(['revision', 'filename']))
    .addOption(
      new Option('--revision <number>', 'plan a rollback to a revision of `outrigger rollout history`')
        .argParser(wholeNumber(1))
        .conflicts('filename'),
    )
    .option('-f, --filename <paths>', 'plan applying these files or folders; - for standard input', texts)
    .option('--fail <rate|clusters>', 'assume that this share of the moves fails, such as 5%, or those on these clusters', failure)
    .option('--offline <rate>', 'assume that this share of the clusters becomes unreachable during their move, such as 2%', rate)
    .addOption(new Option('--seed <number>', 'the first seed of the random runs').argParser(wholeNumber(0)).default(1))
    .option('--from <time>', 'assume that the change is made at this time, such as 2026-12-01T08:00:00Z; else now')
    .addOption(formatOption('text', 'json', 'yaml'))
    .action(async (addOn: string, options: PlanOptions, command: Command) => {
      if (options.to === undefined && options.revision === undefined && !options.filename)
        throw usageError('which change? Add --to <version>, --revision <number> or -f <files>');
      const { plan } = await import('./run.js');
      await plan(context, { ...connectionOf(command), ...options, addOn });
    });
}

const RATE = /^(?:(\d+(?:\.\d+)?)%|(0?\.\d+|0|1))$/;

function rate(text: string): number {
  const [, percent, share] = RATE.exec(text) ?? [];
  const value = percent === undefined ? Number(share) : Number(percent) / 100;
  if (value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('must be a share such as 5% or 0.05.');
}

/** Parses a share, or collects the names of clusters from an option that may be given several times. */
function failure(text: string, before?: number | readonly string[]): number | readonly string[] {
  const isRate = RATE.test(text);
  if (before !== undefined && isRate !== (typeof before === 'number'))
    throw new InvalidArgumentError('use a share, or the names of clusters, but not both.');
  return isRate ? rate(text) : texts(text, typeof before === 'object' ? before : []);
}
