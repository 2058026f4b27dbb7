import { Argument, Command } from 'commander';
import { label } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { PARTS, type Part } from '../install/command.js';
import { connectionOf, withConnection } from '../options.js';

export interface UninstallOptions {
  readonly namespace?: string;
  readonly apply?: true;
  readonly deleteKinds?: true;
}

export function uninstallCommand(context: CommandContext): Command {
  return withConnection(new Command('uninstall'))
    .summary('remove the manager or the agent; add-ons go on running')
    .description('remove the manager or the agent; add-ons go on running: kinds and namespaces stay unless --delete-kinds')
    .addArgument(new Argument('<part>', 'what to remove').choices(PARTS))
    .option('--namespace <name>', 'namespace of the manager', label)
    .option('--apply', 'remove the objects, instead of listing them')
    .option('--delete-kinds', 'our kinds, objects and annotations too, and on a hub of our own every add-on with them')
    .action(async (part: Part, options: UninstallOptions, command: Command) => {
      const { uninstall } = await import('./run.js');
      await uninstall(context, { ...connectionOf(command), ...options, part });
    });
}
