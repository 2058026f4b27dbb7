import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export function acceptCommand(context: CommandContext): Command {
  return withConnection(new Command('accept'))
    .description('accept clusters that ask to join')
    .argument('<clusters...>')
    .action(async (clusters: readonly string[], _: unknown, command: Command) => {
      const { accept } = await import('./run.js');
      await accept(context, { ...connectionOf(command), clusters });
    });
}
