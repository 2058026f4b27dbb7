import { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME } from '@outrigger/agent';
import { AGENT_NAMESPACE, HUB_NAMESPACE, managedClusterAddOns } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { withdrawBindings, withdrawConversion } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find } from '../../fleet/objects.js';
import { deleteAll } from '../../install/apply.js';
import { restoreDefinition } from '../../install/definitions/apply-definition.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, isDefinition } from '../../install/definitions/definition.js';
import { RESTORE_MANAGER, isOurs } from '../../install/definitions/plan.js';
import { FOUND_ANNOTATION } from '../../install/definitions/record.js';
import { deleteMadeLater, removeMarks } from '../../install/leftovers.js';
import { findTakenOver } from '../../install/take-over.js';
import { isUpstreamInstalled } from '../../upstream/detect.js';
import type { CommandContext } from '../context.js';
import { INSTALL_DEFAULTS, type Part } from '../install/command.js';
import { manifestsFor } from '../install/run.js';
import type { UninstallOptions } from './command.js';

interface UninstallRequest extends ConnectionOptions, UninstallOptions {
  readonly part: Part;
}

export async function uninstall(context: CommandContext, request: UninstallRequest): Promise<void> {
  const { terminal } = context;
  let hasSaid = false;
  const say = (line: string): void => {
    hasSaid = true;
    terminal.out(`${line}\n`);
  };
  if (!request.apply) {
    const others = request.deleteKinds ? await withHub(context, request, (client) => definitionsOfOthers(client, request)) : [];
    const kept = others.map(({ metadata }) => metadata.name ?? '');
    for (const { kind, metadata } of [...removable(request, kept)].reverse()) say(`${kind} ${metadata.name}`);
    const more = request.deleteKinds && request.part === 'hub' ? ', with stored revisions, join tokens and our annotations' : '';
    return terminal.note(`would be removed${more}; --apply removes them\n`);
  }
  await withHub(context, request, async (client) => {
    const others = await definitionsOfOthers(client, request);
    const kept = others.map(({ metadata }) => metadata.name ?? '');
    // Restore CRDs before the webhook is deleted, because the API server cannot list objects of a kind whose conversion webhook is gone.
    const restored = await restoreDefinitions(client, request);
    for (const name of restored) say(`CustomResourceDefinition ${name} restored as it was found`);
    if (request.deleteKinds)
      for (const name of kept.filter((one) => !restored.includes(one)))
        say(`CustomResourceDefinition ${name} stays: another program has written it`);
    const withdrawn = request.part === 'hub' ? await withdrawConversion(client) : [];
    for (const name of withdrawn) say(`CustomResourceDefinition ${name}: no longer converted, v1beta1 no longer served`);
    const copies = request.part === 'hub' ? await findTakenOver(client) : [];
    await deleteAll(client, [...removable(request, kept), ...copies], say);
    if (request.part !== 'hub') return;
    // The following happens after the manager and its permissions are removed, because a running manager would write its objects again.
    const isHandedBack = others.some(isOfUpstream) || (await isUpstreamInstalled(client));
    for (const line of await withdrawPermissions(client, request, isHandedBack)) say(line);
    if (!request.deleteKinds) return;
    await deleteMadeLater(client, request.namespace ?? HUB_NAMESPACE, say);
    if (isHandedBack) await removeMarks(client, say);
  });
  if (!hasSaid) terminal.note(`nothing was removed: no ${request.part} of Outrigger is installed there; --context names another cluster\n`);
}

/**
 * Whether the CRD of add-ons existed before the installation: an annotation records the earlier CRD, or an earlier `uninstall` restored it.
 */
function isOfUpstream(definition: Definition): boolean {
  const { name, annotations = {}, managedFields = [] } = definition.metadata;
  if (name !== `${managedClusterAddOns.plural}.${managedClusterAddOns.group}`) return false;
  return annotations[FOUND_ANNOTATION] !== undefined || managedFields.some(({ manager }) => manager === RESTORE_MANAGER);
}

/**
 * Returns the CRDs that another program has written, also those that an earlier run restored. They are never deleted, because their objects
 * belong to that program.
 */
async function definitionsOfOthers(client: Client, request: UninstallRequest): Promise<readonly Definition[]> {
  const names = installed(request)
    .filter(isDefinition)
    .map(({ metadata }) => metadata.name ?? '');
  const found = await Promise.all(names.map((name) => find(client, CUSTOM_RESOURCE_DEFINITIONS, { name })));
  return found.filter((definition) => definition !== undefined).filter((definition) => !isOurs(definition));
}

/**
 * Withdraws the hub permissions of add-ons. On upstream's hub, upstream's manager gets bindings under its own names, so that no agent loses
 * a permission and none of our objects stay. On our own hub, the bindings stay with the add-ons, unless the add-ons are deleted.
 */
async function withdrawPermissions(client: Client, { deleteKinds }: UninstallRequest, isHandedBack: boolean): Promise<readonly string[]> {
  return isHandedBack || deleteKinds ? withdrawBindings(client, { replace: isHandedBack }) : [];
}

async function restoreDefinitions(client: Client, request: UninstallRequest): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const definition of installed(request).filter(isDefinition))
    if (await restoreDefinition(client, definition)) restored.push(definition.metadata.name ?? '');
  return restored;
}

/** The kinds whose deletion would delete add-ons or break running ones. They are kept unless `deleteKinds` is set. */
const KEPT: readonly string[] = ['CustomResourceDefinition', 'Namespace'];

/**
 * Returns all objects that `install` may have applied. Their names depend only on the namespace, so the image and the number of replicas do
 * not matter.
 */
function installed(request: UninstallRequest): readonly KubeObject[] {
  return manifestsFor({ ...INSTALL_DEFAULTS, ...request, tokenRegistration: true, clusteradm: true });
}

/** Returns the objects to delete. `kept` are the names of the CRDs of other programs. */
function removable(request: UninstallRequest, kept: readonly string[]): readonly KubeObject[] {
  const removed = installed(request)
    .filter(({ kind }) => request.deleteKinds || !KEPT.includes(kind))
    .filter((object) => !isDefinition(object) || !kept.includes(object.metadata.name ?? ''));
  return [...removed, ...MADE_LATER[request.part]];
}

/**
 * Objects that the running program created, not `install`, and that only this command removes. They are last in the list, so they are
 * deleted first.
 */
const MADE_LATER: Readonly<Record<Part, readonly KubeObject[]>> = {
  hub: [],
  agent: [BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME].map((name) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: AGENT_NAMESPACE },
  })),
};
