import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { type InstallOptions, type Part, installOptions } from '../install/command.js';
import { connectionOf, withConnection } from '../options.js';

export function uninstallCommand(context: CommandContext): Command {
  return installOptions(
    withConnection(new Command('uninstall'))
      .summary('remove the manager or the agent; add-ons go on running')
      .description('remove the manager or the agent; add-ons go on running: kinds and namespaces stay unless --delete-kinds'),
  )
    .option('--apply', 'really remove, instead of naming what would go')
    .option('--delete-kinds', 'the kinds and the namespace too, and with them every add-on')
    .action(async (part: Part, options: InstallOptions & { readonly deleteKinds?: true }, command: Command) => {
      const { uninstall } = await import('./run.js');
      await uninstall(context, { ...connectionOf(command), ...options, part });
    });
}
