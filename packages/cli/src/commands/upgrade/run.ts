import { ADDON_GROUP, type ClusterManagementAddOn, addOnRollouts, clusterManagementAddOns, managedClusterAddOns } from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import type { Client, JsonPatchOperation } from '@outrigger/kube';
import { CommandError, EXIT, notFound } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find, nameOf } from '../../fleet/objects.js';
import { isTemplateKind, requireAddOn, requireVersion } from '../../fleet/versions.js';
import { suggestion } from '../../terminal/suggest.js';
import type { CommandContext } from '../context.js';
import type { UpgradeOptions } from './command.js';

export async function upgrade(
  context: CommandContext,
  request: ConnectionOptions & UpgradeOptions & { readonly addOn: string },
): Promise<void> {
  const { addOn, to } = request;
  const { terminal } = context;
  await withHub(context, request, async (hub) => {
    const declaration = await requireAddOn(hub, addOn);
    const template = await requireVersion(hub, addOn, to);
    if (request.cluster) return upgradeClusters(hub, context, addOn, to, request.cluster);
    await requireUnpinned(hub, addOn);
    const operations =
      request.placement === undefined ? defaultTemplate(declaration, nameOf(template)) : entryVersion(declaration, request.placement, to);
    await hub.patch(clusterManagementAddOns, { name: addOn }, { type: 'json', patch: [unchanged(declaration), ...operations] });
    terminal.out(
      `${addOn} goes to ${to}${request.placement ? ` on the clusters of ${request.placement}` : ''}: \`outrigger rollout status ${addOn} --watch\` follows it\n`,
    );
    for (const line of heldBack(declaration, to, request.placement)) terminal.note(`${line}\n`);
  });
}

async function upgradeClusters(
  hub: Client,
  { terminal }: CommandContext,
  addOn: string,
  to: string,
  clusters: readonly string[],
): Promise<void> {
  await requireClusters(hub, clusters);
  for (const namespace of clusters) {
    if (!(await find(hub, managedClusterAddOns, { namespace, name: addOn })))
      throw notFound(`${addOn} is not on ${namespace}: \`outrigger enable ${addOn} --cluster ${namespace} --to ${to}\` puts it there`);
    await hub.patch(managedClusterAddOns, { namespace, name: addOn }, { type: 'merge', patch: { spec: { installVersion: to } } });
    terminal.out(
      `${addOn} on ${namespace} goes to ${to}, and stays there whatever the fleet does; \`kubectl edit managedclusteraddon ${addOn} -n ${namespace}\` takes that back\n`,
    );
  }
}

/** While a revision is pinned, a new version would be declared and nothing would move. */
async function requireUnpinned(hub: Client, addOn: string): Promise<void> {
  const pinned = (await find(hub, addOnRollouts, { name: addOn }))?.spec?.pinnedRevision;
  if (pinned !== undefined)
    throw new CommandError(
      `${addOn} is held at revision ${pinned} by a rollback: \`outrigger rollback ${addOn} --clear\` lets it go first`,
      EXIT.failed,
    );
}

function unchanged({ metadata }: ClusterManagementAddOn): JsonPatchOperation {
  return { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion ?? '' };
}

/** The version everything goes to that nobody says otherwise about: the template named in supportedConfigs. */
function defaultTemplate({ spec }: ClusterManagementAddOn, template: string): readonly JsonPatchOperation[] {
  const configs = spec.supportedConfigs ?? [];
  const index = configs.findIndex(isTemplateKind);
  if (index >= 0) return [{ op: 'add', path: `/spec/supportedConfigs/${index}/defaultConfig`, value: { name: template } }];
  const entry: JsonObject = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: template } };
  return configs.length > 0
    ? [{ op: 'add', path: '/spec/supportedConfigs/-', value: entry }]
    : [{ op: 'add', path: '/spec/supportedConfigs', value: [entry] as Json }];
}

function entryVersion({ metadata, spec }: ClusterManagementAddOn, placement: string, version: string): readonly JsonPatchOperation[] {
  const entries = spec.installStrategy?.placements ?? [];
  const names = entries.map((entry) => `${entry.namespace}/${entry.name}`);
  const index = names.indexOf(placement);
  if (index < 0) throw notFound(`the strategy of ${metadata.name} has no Placement "${placement}"${suggestion(placement, names)}`);
  const path = `/spec/installStrategy/placements/${index}/addonTemplate`;
  const before = entries[index]?.addonTemplate ?? {};
  return [{ op: 'add', path, value: { ...before, installVersion: version } as unknown as Json }];
}

/** Entries that name a version of their own do not follow the default. */
function heldBack({ metadata, spec }: ClusterManagementAddOn, to: string, placement: string | undefined): readonly string[] {
  if (placement !== undefined) return [];
  return (spec.installStrategy?.placements ?? [])
    .filter(({ addonTemplate }) => addonTemplate?.installVersion !== undefined && addonTemplate.installVersion !== to)
    .map(
      (entry) =>
        `${entry.namespace}/${entry.name} stays at ${entry.addonTemplate?.installVersion}: \`outrigger upgrade ${metadata.name} --to ${to} --placement ${entry.namespace}/${entry.name}\``,
    );
}
