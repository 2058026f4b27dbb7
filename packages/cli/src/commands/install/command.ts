import { Argument, Command } from 'commander';
import { wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface InstallOptions {
  readonly image: string;
  readonly namespace?: string;
  readonly replicas: number;
  readonly clusterName: string;
  readonly crdsOnly?: true;
  readonly apply?: true;
}

export type Part = 'hub' | 'agent';

export function installCommand(context: CommandContext): Command {
  return installOptions(
    withConnection(new Command('install'))
      .summary('print or apply what a hub or a cluster needs')
      .description('print (or apply) what the hub or a managed cluster needs: kinds, rights, Deployment'),
  )
    .option('--apply', 'apply instead of printing')
    .action(async (part: Part, options: InstallOptions, command: Command) => {
      const { install } = await import('./run.js');
      await install(context, { ...connectionOf(command), ...options, part });
    });
}

export function installOptions(command: Command): Command {
  return command
    .addArgument(new Argument('<part>', 'what to install').choices(['hub', 'agent']))
    .option('--image <reference>', 'image to run', 'ghcr.io/outrigger/outrigger:latest')
    .option('--namespace <name>', 'namespace of the manager')
    .option('--replicas <number>', 'how many managers; one leads', wholeNumber(1), 2)
    .option('--cluster-name <name>', 'for the agent: how the hub calls the cluster', 'cluster1')
    .option('--crds-only', 'only the kinds');
}
