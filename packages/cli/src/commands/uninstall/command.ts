import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { type InstallOptions, type Part, installOptions } from '../install/command.js';
import { connectionOf, withConnection } from '../options.js';

export function uninstallCommand(context: CommandContext): Command {
  return installOptions(
    withConnection(new Command('uninstall')).description(
      'remove what `install` applied; kinds stay unless --delete-kinds, because deleting them deletes every add-on',
    ),
  )
    .option('--apply', 'really remove, instead of naming what would go')
    .option('--delete-kinds', 'the kinds too, and with them every object of theirs')
    .action(async (part: Part, options: InstallOptions & { readonly deleteKinds?: true }, command: Command) => {
      const { uninstall } = await import('./run.js');
      await uninstall(context, { ...connectionOf(command), ...options, part });
    });
}
