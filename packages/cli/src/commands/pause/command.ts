import { Command } from 'commander';
import { usageError } from '../../failure.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface PauseOptions {
  readonly all?: true;
}

/** Returns the command `outrigger pause` or `outrigger resume`, which have the same arguments and opposite effects. */
function steering(context: CommandContext, name: 'pause' | 'resume', description: string, all: string): Command {
  return withConnection(new Command(name))
    .description(description)
    .argument('[add-on]')
    .option('--all', all)
    .action(async (addOn: string | undefined, { all: isAll }: PauseOptions, command: Command) => {
      if ((addOn === undefined) === (isAll === undefined))
        throw usageError(`which rollouts? \`outrigger ${name} <add-on>\`, or \`outrigger ${name} --all\``);
      const connection = connectionOf(command);
      const run = await import('../rollout/run.js');
      const forAll = await import('./run.js');
      await (addOn === undefined ? forAll[name](context, connection) : run[name](context, { ...connection, addOn }));
    });
}

export function pauseCommand(context: CommandContext): Command {
  return steering(context, 'pause', 'start no further cluster; those in flight finish', 'all add-ons of the fleet, present and future');
}

export function resumeCommand(context: CommandContext): Command {
  return steering(context, 'resume', 'let paused rollouts go on', 'end the pause of the whole fleet; add-ons paused by name stay paused');
}
