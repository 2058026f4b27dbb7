import { type Command, Option } from 'commander';
import type { ConnectionOptions } from '../fleet/connect.js';
import { OUTPUT_FORMATS } from '../terminal/output-formats.js';

/** The options that stand before the command's name, and may also stand after it. */
export function connectionOf(command: Command): ConnectionOptions {
  const { kubeconfig, context } = command.optsWithGlobals<ConnectionOptions>();
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('--kubeconfig <file>', 'how to reach the hub').hideHelp())
    .addOption(new Option('--context <name>', 'a context of the kubeconfig').hideHelp());
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).default('table');
}
