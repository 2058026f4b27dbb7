import { managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type Kind, type KubeObject, shell } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT, usageError } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { mayList } from '../../fleet/readable.js';
import { type Source, askingSource } from '../../fleet/source.js';
import { adviceFor } from '../../install/granting-roles.js';
import { EVENTS } from '../../views/events.js';
import { formatNames, formatObjects, nextDocument } from '../../terminal/format.js';
import { liveBlock } from '../../terminal/live.js';
import { table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import type { CommandContext } from '../context.js';
import { follow } from '../watch.js';
import { narrowed } from './narrow.js';
import type { GetOptions, Gettable } from './command.js';
import { LISTINGS } from './listings.js';
import { selectsOne } from './selects-one.js';

export interface GetRequest extends ConnectionOptions, GetOptions {
  readonly kind: Gettable;
  readonly name?: string;
  /** The only namespace in which the user may read the kind. */
  readonly within?: string;
}

/** The kinds whose objects belong to a cluster. */
const ON_CLUSTERS: readonly Gettable[] = ['addons', 'clusters', 'works', 'events'];

export async function get(context: CommandContext, asked: GetRequest): Promise<void> {
  if (asked.cluster !== undefined && !ON_CLUSTERS.includes(asked.kind))
    throw usageError(
      `--cluster: ${asked.kind} belong to the whole fleet, and only ${ON_CLUSTERS.join(', ')} to a cluster: \`${shell`outrigger get addons --cluster ${asked.cluster}`}\``,
    );
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
        if (output === 'name') return formatNames(objects, request.cluster);
        return formatObjects(objects, output, selectsOne(asked) && objects.length === 1);
      }
      if (rows.length === 0) return '';
      const look = { wide: output === 'wide', style: terminal.style, width: tableWidth(terminal) };
      return `${table(listing.columns(nowMs), rows, look)}${listing.remarks ?? ''}`;
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
      else if (text !== last) terminal.out(nextDocument(text, request.output, last === undefined));
      last = text;
    };
    try {
      await follow(context, hub, { look, show });
    } finally {
      block.end();
    }
  });
}

/** The kinds that a user may be allowed to read in one namespace only. */
const NAMESPACED: Partial<Readonly<Record<Gettable, Kind>>> = { addons: managedClusterAddOns, works: manifestWorks, events: EVENTS };

/**
 * Returns the request, limited to the namespace of the kubeconfig context if the user may not list objects in the whole fleet, so that
 * cluster owners see their own cluster.
 */
async function withinRights(
  hub: Client,
  request: GetRequest,
  namespace: string | undefined,
  terminal: CommandContext['terminal'],
): Promise<GetRequest> {
  const kind = NAMESPACED[request.kind];
  // `--cluster` limits add-ons and works to one namespace, but not events, because an event about a cluster can be in any namespace.
  if (!kind || (request.cluster !== undefined && request.kind !== 'events')) return request;
  if (await mayList(hub, kind)) return request;
  const what = request.kind === 'addons' ? 'add-ons' : request.kind;
  const refused = `your rights do not include the ${what} of all clusters`;
  if (request.allNamespaces) throw new CommandError(`${refused}: leave out --all-namespaces`, EXIT.failed);
  const within = request.cluster ?? namespace;
  if (within === undefined) throw new CommandError(`${refused}: name your cluster with --cluster`, EXIT.failed);
  if (!(await mayList(hub, kind, within))) {
    const right = { verb: 'list', resource: kind.plural, group: kind.group, namespace: within };
    const where = request.cluster === undefined ? `${within}, the namespace of your context` : `the namespace ${within}`;
    const next = request.cluster === undefined ? 'name your cluster with --cluster, or ' : '';
    throw new CommandError(`${refused}, nor those in ${where}: ${next}${adviceFor(right)}`, EXIT.failed);
  }
  if (request.cluster === undefined) terminal.note(`${refused}: these are those of ${within}, the namespace of your context\n`);
  return { ...request, cluster: within, within };
}
