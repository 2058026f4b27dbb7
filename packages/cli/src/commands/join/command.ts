import { Command } from 'commander';
import { imageReference, serverUrl, wholeNumber } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { INSTALL_DEFAULTS } from '../install/command.js';
import { connectionOf, withConnection } from '../options.js';

export interface JoinOptions {
  readonly clusterKubeconfig?: string;
  readonly clusterContext?: string;
  readonly hubServer?: string;
  readonly accept: boolean;
  readonly ttl: number;
  readonly image: string;
  readonly apply?: true;
  readonly upstreamAgent?: true;
  readonly reuseName?: true;
  readonly again?: true;
}

export function joinCommand(context: CommandContext): Command {
  return withConnection(new Command('join'))
    .summary('let a cluster join the hub')
    .description('let a cluster join the hub: makes a token that serves once, and prints or applies what the cluster needs')
    .argument('<cluster>', 'how the hub will call it')
    .option('--cluster-kubeconfig <file>', 'apply it there: how to reach the cluster')
    .option('--cluster-context <name>', 'a context of that kubeconfig')
    .option('--hub-server <url>', "how the cluster reaches the hub, where that differs from this machine's way", serverUrl)
    .option('--no-accept', 'leave the acceptance to `outrigger accept`')
    .option('--ttl <minutes>', 'how long the token may wait to be used', wholeNumber(10), 60)
    .option('--image <reference>', 'image of the agent', imageReference, INSTALL_DEFAULTS.image)
    .option(
      '--upstream-agent',
      "for Open Cluster Management's own agent: only the bootstrap Secret is made, and its token may read all certificate requests",
    )
    .option('--again', 'the cluster has joined before, and its agent was away until its certificate ended')
    .option('--reuse-name', 'take the name of a cluster that was detached although certificates of it are still valid')
    .option('--apply', 'apply instead of printing (needs --cluster-kubeconfig or --cluster-context)')
    .action(async (cluster: string, options: JoinOptions, command: Command) => {
      const { join } = await import('./run.js');
      await join(context, { ...connectionOf(command), ...options, cluster });
    });
}
