import { Command } from 'commander';
import { timeLimit } from '../arguments.js';
import type { CommandContext } from '../context.js';

export interface DownOptions {
  readonly dataDir: string;
  readonly timeout: number;
}

export function downCommand(context: CommandContext): Command {
  return new Command('down')
    .summary('stop what `up` started; its data stays')
    .description('stop what `outrigger up` started; its data stays')
    .option('--data-dir <folder>', 'the folder it was started with', '.outrigger')
    .option('--timeout <duration>', 'how long to wait for it to end, such as 90s or 5m', timeLimit(1), 60)
    .action(async (options: DownOptions) => {
      const { down } = await import('./run.js');
      await down(context, options);
    });
}
