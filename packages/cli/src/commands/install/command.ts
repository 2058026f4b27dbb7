import { Argument, Command } from 'commander';
import { imageReference, label, wholeNumber } from '../arguments.js';
import { VERSION } from '../../version.js';
import type { CommandContext } from '../context.js';
import { connectionOf, withConnection } from '../options.js';

export interface InstallOptions {
  readonly image: string;
  readonly namespace?: string;
  readonly replicas: number;
  readonly clusterName: string;
  readonly crdsOnly?: true;
  readonly tokenRegistration?: true;
  readonly clusteradm?: true;
  readonly takeOver?: true;
  readonly apply?: true;
}

export type Part = 'hub' | 'agent';
export const PARTS: readonly Part[] = ['hub', 'agent'];

/**
 * The default image is that of this release. It has no mutable tag, because it runs with the agent's permissions, which are those of
 * cluster-admin.
 */
export const INSTALL_DEFAULTS: { readonly image: string; readonly replicas: number; readonly clusterName: string } = {
  image: `ghcr.io/outrigger/outrigger:${VERSION}`,
  replicas: 2,
  clusterName: 'cluster1',
};

export function installCommand(context: CommandContext): Command {
  return withConnection(new Command('install'))
    .summary('print or apply what a hub or a cluster needs')
    .description('print (or apply) what the hub or a managed cluster needs: kinds, rights, Deployment')
    .addArgument(new Argument('<part>', 'what to install').choices(PARTS))
    .option('--image <reference>', 'image to run', imageReference, INSTALL_DEFAULTS.image)
    .option('--namespace <name>', 'namespace of the manager', label)
    .option('--replicas <number>', 'how many managers; one leads', wholeNumber(1), INSTALL_DEFAULTS.replicas)
    .option('--cluster-name <name>', 'for the agent: how the hub calls the cluster', label, INSTALL_DEFAULTS.clusterName)
    .option('--crds-only', 'only the kinds')
    .option(
      '--token-registration',
      'for the hub: let add-ons sign in with tokens; the manager may then create tokens of every ServiceAccount',
    )
    .option('--clusteradm', 'for the hub: the account whose token `clusteradm get token` prints; it serves every cluster')
    .option(
      '--take-over',
      "for the hub: copy the rights to bind roles and to use signers, by name, that Open Cluster Management's add-on manager has here",
    )
    .option('--apply', 'apply instead of printing')
    .action(async (part: Part, options: InstallOptions, command: Command) => {
      const { install } = await import('./run.js');
      await install(context, { ...connectionOf(command), ...options, part });
    });
}
