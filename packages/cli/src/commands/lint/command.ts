import { Command } from 'commander';
import { texts } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { formatOption } from '../options.js';

export interface LintCommandOptions {
  readonly filename: readonly string[];
  readonly variables: readonly string[];
  readonly roles: readonly string[];
  readonly output: 'text' | 'json';
}

export function lintCommand(context: CommandContext): Command {
  return new Command('lint')
    .summary('check files as a hub would, without one')
    .description('check files as a hub would, without one (exit code 5 if it finds anything a hub would refuse)')
    .requiredOption('-f, --filename <paths>', 'files or folders; - for standard input', texts)
    .option('--variables <names>', 'template variables defined elsewhere', texts, [])
    .option('--roles <names>', 'roles that the hub has and the files do not contain', texts, [])
    .addOption(formatOption('text', 'json'))
    .action(async (options: LintCommandOptions) => {
      const { lintFiles } = await import('./run.js');
      await lintFiles(context, options);
    });
}
