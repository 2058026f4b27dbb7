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

/** For commands whose result is no list of objects. The first format is what people get. */
export function formatOption(...formats: readonly [string, ...string[]]): Option {
  return new Option('-o, --output <format>', 'how to print').choices(formats).default(formats[0]);
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(OUTPUT_FORMATS).default('table');
}
