import { type Command, Option } from 'commander';
import type { ConnectionOptions } from '../fleet/connect.js';
import { OUTPUT_FORMATS } from '../terminal/output-formats.js';

/** Returns the connection options, which are accepted before and after the command's name. */
export function connectionOf(command: Command): ConnectionOptions {
  const { kubeconfig, context } = command.optsWithGlobals<ConnectionOptions>();
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

/** The help text of `--plan` in commands that make changes. */
export const PLAN_OPTION = 'show what would happen, as `outrigger plan` does, and write nothing';

export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('--kubeconfig <file>', 'how to reach the hub').hideHelp())
    .addOption(new Option('--context <name>', 'a context of the kubeconfig').hideHelp());
}

/** Returns the `-o` option of a command whose result is not a list of objects. The first format is the default. */
export function formatOption(...formats: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <format>', 'how to print').choices(formats).default(formats[0]);
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).default('table');
}
