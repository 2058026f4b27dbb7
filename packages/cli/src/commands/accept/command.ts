import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';
import { type WaitOptions, withWait } from '../wait-options.js';

export function acceptCommand(context: CommandContext): Command {
  return withWait(withConnection(new Command('accept')), 'they have joined and are available')
    .description('accept clusters that ask to join')
    .argument('<clusters...>')
    .action(async (clusters: readonly string[], options: WaitOptions, command: Command) => {
      const { accept } = await import('./run.js');
      await accept(context, { ...connectionOf(command), ...options, clusters: clusters.flatMap((names) => texts(names)) });
    });
}
