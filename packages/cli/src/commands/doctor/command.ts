import { Command } from 'commander';
import type { CommandContext } from '../context.js';
import { connectionOf, formatOption, withConnection } from '../options.js';

export interface DoctorOptions {
  readonly bundle?: string;
  readonly output: 'text' | 'json';
}

export function doctorCommand(context: CommandContext): Command {
  return withConnection(new Command('doctor'))
    .summary('look for what is wrong with a hub')
    .description('look for what is wrong with a hub (exit code 5 if anything is)')
    .option('--bundle <folder>', 'write a support bundle there: objects without secrets')
    .addOption(formatOption('text', 'json'))
    .action(async (options: DoctorOptions, command: Command) => {
      const { doctor } = await import('./run.js');
      await doctor(context, { ...connectionOf(command), ...options });
    });
}
