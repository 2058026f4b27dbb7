import { type Command, Option } from 'commander';
import { timeLimit } from './arguments.js';

export interface WaitOptions {
  readonly wait?: true;
  readonly timeout: number;
}

const DEFAULT_TIMEOUT_SECONDS = 300;

/** Adds `--wait` and `--timeout` to a command that makes changes. */
export function withWait(command: Command, what: string): Command {
  return command
    .option('--wait', `return when ${what} (exit code 5 if not)`)
    .addOption(
      new Option('--timeout <duration>', 'with --wait: give up after this long, such as 90s or 5m; a number is seconds, 0 never')
        .argParser(timeLimit(0))
        .default(DEFAULT_TIMEOUT_SECONDS),
    );
}
