import { Command } from 'commander';
import { wholeNumber } from '../arguments.js';
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
    .option('--timeout <seconds>', 'how long to wait for it to end', wholeNumber(1), 60)
    .action(async (options: DownOptions) => {
      const { down } = await import('./run.js');
      await down(context, options);
    });
}
