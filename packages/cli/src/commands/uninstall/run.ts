import { BOOTSTRAP_SECRET_NAME, CREDENTIAL_LABEL, HUB_SECRET_NAME } from '@outrigger/agent';
import { AGENT_NAMESPACE, HUB_NAMESPACE, managedClusterAddOns, secrets } from '@outrigger/api';
import { type KubeObject, nameOf } from '@outrigger/core';
import { withdrawBindings, withdrawConversion } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find } from '../../fleet/objects.js';
import { type Present, deleteAll, findPresent, keptText, objectText } from '../../install/apply.js';
import { restoreDefinition } from '../../install/definitions/apply-definition.js';
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, isDefinition } from '../../install/definitions/definition.js';
import { RESTORE_MANAGER, isOurs } from '../../install/definitions/plan.js';
import { FOUND_ANNOTATION } from '../../install/definitions/record.js';
import { deleteMadeLater, removeMarks } from '../../install/leftovers.js';
import { findHeld, heldText } from '../../install/held.js';
import { requireOneManager } from '../../install/one-manager.js';
import { findTakenOver } from '../../install/take-over.js';
import { isUpstreamInstalled } from '../../upstream/detect.js';
import type { CommandContext } from '../context.js';
import { INSTALL_DEFAULTS, type Part } from '../install/command.js';
import { manifestsFor, requireManagerNamespace } from '../install/run.js';
import type { UninstallOptions } from './command.js';

interface UninstallRequest extends ConnectionOptions, UninstallOptions {
  readonly part: Part;
}

export async function uninstall(context: CommandContext, request: UninstallRequest): Promise<void> {
  requireManagerNamespace(request);
  await withHub(context, request, async (client) => {
    if (request.part === 'hub') await requireOneManager(client, request.namespace ?? HUB_NAMESPACE);
    await (request.apply ? remove(context, client, request) : preview(context, client, request));
  });
}

/** Lists the objects that `--apply` would delete, and writes nothing. */
async function preview({ terminal }: CommandContext, client: Client, request: UninstallRequest): Promise<void> {
  const { part } = request;
  const present = await findPresent(client, await removable(client, request));
  for (const { object, keptBecause } of present)
    terminal.out(`${keptBecause === undefined ? objectText(object) : keptText(object, keptBecause)}\n`);
  if (present.every(({ keptBecause }) => keptBecause !== undefined))
    return terminal.note(`nothing would be removed: ${notInstalled(part)}`);
  const more = request.deleteKinds && part === 'hub' ? ', with stored revisions, join tokens and our annotations' : '';
  const held = await findHeld(client, definitionsIn(present));
  terminal.note(
    held.length > 0 ? `--apply would refuse this: ${heldText(part, held)}\n` : `would be removed${more}; --apply removes them\n`,
  );
}

async function remove({ terminal }: CommandContext, client: Client, request: UninstallRequest): Promise<void> {
  const { part } = request;
  let hasRemoved = false;
  const tell = (line: string): void => terminal.out(`${line}\n`);
  const say = (line: string): void => {
    hasRemoved = true;
    tell(line);
  };
  const objects = await removable(client, request);
  const held = await findHeld(client, definitionsIn(await findPresent(client, objects.filter(isDefinition))));
  if (held.length > 0) throw new CommandError(`nothing was removed: ${heldText(part, held)}`, EXIT.failed);
  const others = await definitionsOfOthers(client, request);
  // Restore CRDs before the webhook is deleted, because the API server cannot list objects of a kind whose conversion webhook is gone.
  const restored = await restoreDefinitions(client, request);
  for (const name of restored) say(`CustomResourceDefinition ${name} restored as it was found`);
  if (request.deleteKinds)
    for (const name of others.map(nameOf).filter((one) => !restored.includes(one)))
      tell(`CustomResourceDefinition ${name} stays: another program has written it`);
  const withdrawn = part === 'hub' ? await withdrawConversion(client) : [];
  for (const name of withdrawn) say(`CustomResourceDefinition ${name}: no longer converted, v1beta1 no longer served`);
  await deleteAll(client, objects, say, tell);
  if (part === 'hub') await removeOfHub(client, request, others, say);
  if (!hasRemoved) terminal.note(`nothing was removed: ${notInstalled(part)}`);
}

/**
 * Removes the objects that the manager created. This step comes after the deletion of the manager and its permissions, because a running
 * manager would create these objects again.
 */
async function removeOfHub(
  client: Client,
  request: UninstallRequest,
  others: readonly Definition[],
  say: (line: string) => void,
): Promise<void> {
  const isHandedBack = others.some(isOfUpstream) || (await isUpstreamInstalled(client));
  for (const line of await withdrawPermissions(client, request, isHandedBack)) say(line);
  if (!request.deleteKinds) return;
  await deleteMadeLater(client, request.namespace ?? HUB_NAMESPACE, say);
  if (isHandedBack) await removeMarks(client, say);
}

function notInstalled(part: Part): string {
  return `no ${part} of Outrigger is installed there; --context names another cluster\n`;
}

function definitionsIn(present: readonly Present[]): readonly Definition[] {
  return present
    .filter(({ keptBecause }) => keptBecause === undefined)
    .map(({ object }) => object)
    .filter(isDefinition);
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
 * Returns the CRDs that another program has written, including those that an earlier `uninstall` restored. They are never deleted, because
 * their objects belong to that program.
 */
async function definitionsOfOthers(client: Client, request: UninstallRequest): Promise<readonly Definition[]> {
  const names = installed(request)
    .filter(isDefinition)
    .map(({ metadata }) => metadata.name ?? '');
  const found = await Promise.all(names.map((name) => find(client, CUSTOM_RESOURCE_DEFINITIONS, { name })));
  return found.filter((definition) => definition !== undefined).filter((definition) => !isOurs(definition));
}

/**
 * Withdraws the hub permissions of add-ons. On upstream's hub, bindings with the names that upstream's manager uses replace our bindings,
 * so that no add-on's agent loses a permission and none of our objects stay. On our own hub, the bindings stay unless the add-ons are
 * deleted.
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

/** Returns the objects to delete, whether they exist or not. CRDs of other programs are not among them. */
async function removable(client: Client, request: UninstallRequest): Promise<readonly KubeObject[]> {
  const kept = request.deleteKinds ? (await definitionsOfOthers(client, request)).map(nameOf) : [];
  const applied = installed(request)
    .filter(({ kind }) => request.deleteKinds || !KEPT.includes(kind))
    .filter((object) => !isDefinition(object) || !kept.includes(nameOf(object)));
  // The agent's Secrets and the copied permissions are last in the list, so they are deleted first.
  return [...applied, ...(request.part === 'hub' ? await findTakenOver(client) : await agentSecrets(client, applied))];
}

/**
 * Returns the Secrets of the agent, which `install` does not create. Upstream's agent keeps its credentials under the same names, so they are
 * ours only if another object of our agent exists, or if our agent has labelled its own Secret.
 */
async function agentSecrets(client: Client, applied: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const own = await find(client, secrets, { namespace: AGENT_NAMESPACE, name: HUB_SECRET_NAME });
  const isLabelled = own?.metadata.labels?.[CREDENTIAL_LABEL] !== undefined;
  const ours = applied.filter(({ kind }) => !KEPT.includes(kind));
  if (!isLabelled && (await findPresent(client, ours)).length === 0) return [];
  return [BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME].map((name) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: AGENT_NAMESPACE },
  }));
}
