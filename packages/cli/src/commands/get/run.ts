import { managedClusterAddOns } from '@outrigger/api';
import { type KubeObject, shellWord } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { ifAllowed } from '../../fleet/readable.js';
import { type Source, askingSource } from '../../fleet/source.js';
import { formatObjects } from '../../terminal/format.js';
import { liveBlock } from '../../terminal/live.js';
import { table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import type { CommandContext } from '../context.js';
import { follow } from '../watch.js';
import { narrowed } from './narrow.js';
import type { GetOptions, Gettable } from './command.js';
import { LISTINGS } from './listings.js';

export interface GetRequest extends ConnectionOptions, GetOptions {
  readonly kind: Gettable;
  readonly name?: string;
}

export async function get(context: CommandContext, asked: GetRequest): Promise<void> {
  const { terminal } = context;
  const runtime = await context.runtime();
  await withHub(context, asked, async (hub, _, namespace) => {
    if (asked.cluster !== undefined) await requireClusters(hub, [asked.cluster]);
    const request = await withinRights(hub, asked, namespace, terminal);
    const look = async (source: Source): Promise<string> => {
      const nowMs = runtime.clock.now();
      const listing = await LISTINGS[request.kind](source, request);
      const rows = narrowed(listing, request, nowMs);
      const { output } = request;
      if (output === 'json' || output === 'yaml' || output === 'name') {
        const objects = [...new Set<KubeObject>(rows.map((row) => listing.object(row)))];
        return formatObjects(objects, output, request.name !== undefined && objects.length === 1);
      }
      if (rows.length === 0) return '';
      return table(listing.columns(nowMs), rows, { wide: output === 'wide', style: terminal.style, width: tableWidth(terminal) });
    };
    const nothing = `no ${request.unhealthy ? 'unhealthy ' : ''}${request.kind}${request.cluster ? ` on ${request.cluster}` : ''}\n`;
    if (!request.watch) {
      const text = await look(askingSource(hub));
      if (text === '' && request.output !== 'name') terminal.note(nothing);
      return terminal.out(text);
    }
    const block = liveBlock(terminal);
    let last: string | undefined;
    const show = (text: string): void => {
      if (terminal.isLive) block.show(text === '' ? nothing : text);
      else if (text !== last) terminal.out(text);
      last = text;
    };
    try {
      await follow(context, hub, { look, show });
    } finally {
      block.end();
    }
  });
}

/**
 * The request, limited to the namespace of the kubeconfig context if the user may not list add-ons of the whole fleet, so that a cluster
 * owner sees that cluster.
 */
async function withinRights(
  hub: Client,
  request: GetRequest,
  namespace: string | undefined,
  terminal: CommandContext['terminal'],
): Promise<GetRequest> {
  if (request.kind !== 'addons' || request.cluster !== undefined) return request;
  const isAllowed = await ifAllowed(hub.list(managedClusterAddOns, { limit: 1 }).then(() => true));
  if (isAllowed) return request;
  if (request.allNamespaces)
    throw new CommandError('your rights do not include the add-ons of all clusters: leave out --all-namespaces', EXIT.failed);
  const argument = request.name === undefined ? [] : [shellWord(request.name)];
  const command = `\`${['outrigger get addons', ...argument, '--cluster <cluster>'].join(' ')}\``;
  if (namespace === undefined)
    throw new CommandError(`your rights do not include the add-ons of all clusters: name yours with ${command}`, EXIT.failed);
  if (!(await ifAllowed(hub.list(managedClusterAddOns, { namespace, limit: 1 }).then(() => true))))
    throw new CommandError(
      `your rights include neither the add-ons of all clusters nor those in ${namespace}, the namespace of your context: name your cluster with ${command}, or ask an administrator of the hub to bind outrigger:viewer, or outrigger:cluster-owner in the namespace of your cluster`,
      EXIT.failed,
    );
  terminal.note(`your rights do not include the add-ons of all clusters: these are those of ${namespace}, the namespace of your context\n`);
  return { ...request, cluster: namespace };
}
