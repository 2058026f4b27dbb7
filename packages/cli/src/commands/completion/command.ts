import { Argument, Command } from 'commander';
import type { CommandContext } from '../context.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(context: CommandContext): Command {
  const completion = new Command('completion')
    .summary('print a completion script for bash, zsh or fish')
    .description('print a script that completes commands and options: source <(outrigger completion bash)')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { completionScript } = await import('./run.js');
      const program = completion.parent;
      if (program) context.terminal.out(completionScript(program, shell));
    });
  return completion;
}
