import {
  type AddOnRollout,
  FLEET_ROLLOUT,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  rolloutPolicies,
  shellWord,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT, notFound } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { nameOf } from '../../fleet/objects.js';
import { ifAllowed } from '../../fleet/readable.js';
import { type Source, askingSource } from '../../fleet/source.js';
import { formatObjects } from '../../terminal/format.js';
import { liveBlock } from '../../terminal/live.js';
import { suggestion } from '@outrigger/rules/explanation';
import { type TableColumn, type TableOptions, table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import { addOnColumns, addOnRows, installedColumns } from '../../views/add-ons.js';
import { clusterColumns, clusterRows } from '../../views/clusters.js';
import { policyColumns, policyRows } from '../../views/policies.js';
import { revisionColumns, revisionRows, rolloutColumns } from '../../views/rollouts.js';
import type { CommandContext } from '../context.js';
import { follow } from '../watch.js';
import type { GetOptions, Gettable } from './command.js';

export interface GetRequest extends ConnectionOptions, GetOptions {
  readonly kind: Gettable;
  readonly name?: string;
}

/** The result of a listing: the table is for people, the objects are for programs. */
interface Listing {
  readonly objects: readonly KubeObject[];
  readonly text: (options: { readonly wide: boolean; readonly nowMs: number }) => string;
}

export async function get(context: CommandContext, asked: GetRequest): Promise<void> {
  const { terminal } = context;
  const runtime = await context.runtime();
  await withHub(context, asked, async (hub, _, namespace) => {
    if (asked.cluster !== undefined) await requireClusters(hub, [asked.cluster]);
    const request = await withinRights(hub, asked, namespace, terminal);
    const look = async (source: Source): Promise<string> => {
      const listing = await LISTINGS[request.kind](source, request, { style: terminal.style, width: tableWidth(terminal) });
      const { output } = request;
      if (output === 'json' || output === 'yaml' || output === 'name')
        return formatObjects(listing.objects, output, request.name !== undefined && listing.objects.length === 1);
      if (listing.objects.length === 0) return '';
      return listing.text({ wide: output === 'wide', nowMs: runtime.clock.now() });
    };
    const nothing = `no ${request.kind}${request.cluster ? ` on ${request.cluster}` : ''}\n`;
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
    await follow(context, hub, { look, show });
    block.end();
  });
}

/**
 * The request, limited to the namespace of the kubeconfig context if the user may not list add-ons of the whole fleet: the owner of one
 * cluster then sees that cluster.
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
  const argument = request.name === undefined ? [] : [shellWord(request.name)];
  if (namespace === undefined)
    throw new CommandError(
      `your rights do not include the add-ons of all clusters: name yours with \`${['outrigger get addons', ...argument, '--cluster <cluster>'].join(' ')}\``,
      EXIT.failed,
    );
  terminal.note(`your rights do not include the add-ons of all clusters: these are those of ${namespace}, the namespace of your context\n`);
  return { ...request, cluster: namespace };
}

/** How tables of this command look. */
type Look = Pick<TableOptions, 'style' | 'width'>;

type List = (source: Source, request: GetRequest, look: Look) => Promise<Listing>;

const LISTINGS: Readonly<Record<Gettable, List>> = {
  addons: async (source, { name, cluster }, look) => {
    if (cluster !== undefined || name !== undefined) return installedListing(source, name, cluster, look);
    const [declared, installed, rollouts] = await Promise.all([
      source.list(clusterManagementAddOns),
      source.list(managedClusterAddOns),
      source.list(addOnRollouts),
    ]);
    const rows = addOnRows({ declared, installed, rollouts, clusters: [] });
    return { objects: declared, text: ({ wide, nowMs }) => table(addOnColumns(nowMs), rows, { wide, ...look }) };
  },
  clusters: async (source, { name }, look) => {
    const [clusters, installed] = await Promise.all([source.list(managedClusters), source.list(managedClusterAddOns)]);
    const objects = named(clusters, name, 'cluster');
    return { objects, text: ({ wide, nowMs }) => table(clusterColumns(nowMs), clusterRows(objects, installed), { wide, ...look }) };
  },
  rollouts: async (source, { name }, look) => {
    const objects = named(await rolloutsOf(source), name, 'rollout');
    return { objects, text: rendered(rolloutColumns, objects, look) };
  },
  revisions: async (source, { name }, look) => {
    const objects = named(await rolloutsOf(source), name, 'add-on');
    return { objects, text: rendered(revisionColumns, objects.flatMap(revisionRows), look) };
  },
  policies: async (source, { name }, look) => {
    const [all, declared, rollouts] = await Promise.all([
      source.list(rolloutPolicies),
      source.list(clusterManagementAddOns),
      source.list(addOnRollouts),
    ]);
    const objects = named(all, name, 'policy');
    return { objects, text: rendered(policyColumns, policyRows(objects, declared, rollouts), look) };
  },
};

/** The rollouts of add-ons, without the object that is about all of them. */
async function rolloutsOf(source: Source): Promise<readonly AddOnRollout[]> {
  return (await source.list(addOnRollouts)).filter((rollout) => nameOf(rollout) !== FLEET_ROLLOUT);
}

async function installedListing(source: Source, name: string | undefined, cluster: string | undefined, look: Look): Promise<Listing> {
  const all = await source.list(managedClusterAddOns, cluster);
  const objects = all
    .filter((addOn) => name === undefined || nameOf(addOn) === name)
    .sort((a, b) => order(a).localeCompare(order(b), 'en', { numeric: true }));
  if (objects.length === 0 && name !== undefined) await requireDeclared(source, name);
  return { objects, text: rendered(installedColumns, objects, look) };
}

/** Fails if no declaration has this name: it is probably a typo. A declared add-on that is on no cluster is a valid result. */
async function requireDeclared(source: Source, name: string): Promise<void> {
  const names = (await ifAllowed(source.list(clusterManagementAddOns)))?.map(nameOf);
  if (names && !names.includes(name)) throw notFound(`there is no add-on "${name}"${suggestion(name, names)}`);
}

function named<T extends KubeObject>(objects: readonly T[], name: string | undefined, what: string): readonly T[] {
  if (name === undefined) return objects;
  const found = objects.filter((object) => nameOf(object) === name);
  if (found.length === 0) throw notFound(`there is no ${what} "${name}"${suggestion(name, objects.map(nameOf))}`);
  return found;
}

function order({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function rendered<Row>(columns: (nowMs: number) => readonly TableColumn<Row>[], rows: readonly Row[], look: Look): Listing['text'] {
  return ({ wide, nowMs }) => table(columns(nowMs), rows, { wide, ...look });
}
