import { type ClusterManagementAddOn, addOnRollouts, managedClusterAddOns } from '@outrigger/api';
import { shell, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT, notFound, usageError } from '../../failure.js';
import { requireStayingClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { patchDeclaration } from '../../fleet/declaration.js';
import { type DeclaredVersion, entriesWithOwnVersion, versionOperations } from '../../fleet/declared-version.js';
import { untilObserved } from '../../fleet/observed.js';
import { find } from '../../fleet/objects.js';
import { pinField, unpinField } from '../../fleet/pins.js';
import { ifAllowed } from '../../fleet/readable.js';
import { holdingPin } from '../../fleet/revisions.js';
import { nextStep } from '../../fleet/rollouts.js';
import { requireStayingAddOn } from '../../fleet/staying.js';
import { checkAddOn, checkVersion, requireAddOn, requireVersion, versionsOf } from '../../fleet/versions.js';
import { isPinned } from '@outrigger/rules/rollout';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';
import { status } from '../rollout/status.js';
import { waitForAddOn } from '../wait.js';
import type { UpgradeRequest } from './command.js';

export async function upgrade(context: CommandContext, request: ConnectionOptions & UpgradeRequest): Promise<void> {
  const { addOn, to, cluster, placement } = request;
  const { terminal } = context;
  if (cluster) return withHub(context, request, (hub) => upgradeClusters(hub, context, request, cluster));
  await withHub(context, request, async (hub) => {
    const managementAddOn = await requireAddOn(hub, addOn);
    const version = to === undefined ? undefined : { version: to, template: nameOf(await requireVersion(hub, addOn, to)) };
    if (version && placement === undefined) requireFollower(managementAddOn, version);
    const rollout = await find(hub, addOnRollouts, { name: addOn });
    const pin = rollout && placement !== undefined ? holdingPin(rollout, placement) : undefined;
    const wasPinned = placement === undefined && isPinned(rollout?.spec);
    if (wasPinned && version) requireNoOtherVersion(managementAddOn, version);
    const before = await patchDeclaration(hub, addOn, (current) => versionOperations(current, placement, version));
    const where = placement === undefined ? '' : ` on the clusters of ${placement}`;
    const what = to === undefined ? 'follows the fleet again' : `goes to ${to}`;
    if (pin) {
      terminal.out(`${addOn} ${what}${where} when its pin at revision ${pin.revision} is removed: \`${pin.clear}\`\n`);
      if (request.wait)
        throw new CommandError(`${addOn} is pinned${where}, so there is no end to wait for: \`${pin.clear}\` removes the pin`, EXIT.no);
      return;
    }
    if (wasPinned) await removePin(context, hub, addOn);
    const isSame = !wasPinned && (await requireAddOn(hub, addOn)).metadata.generation === before.metadata.generation;
    terminal.out(
      isSame
        ? `${addOn} ${to === undefined ? 'follows the fleet' : `is declared at ${to}`}${where} already: \`${shell`outrigger rollout status ${addOn}`}\` shows how far it is\n`
        : `${addOn} ${what}${where}${await nextStep(hub, addOn)}\n`,
    );
    if (version && placement === undefined) for (const line of otherVersions(before, version)) terminal.note(`${line}\n`);
  });
  if (request.wait) await status(context, { ...request, watch: true, output: 'text' });
}

/** Fails and lists the versions that the add-on has. If the hub cannot be read, the error lists no versions. */
export async function askForVersion(context: CommandContext, request: ConnectionOptions & { readonly addOn: string }): Promise<never> {
  const known = await withHub(context, request, (hub) => ifAllowed(versionsOf(hub, request.addOn))).catch((error: unknown) => {
    if (error instanceof CommandError) throw error;
    return undefined;
  });
  const list = known && known.length > 0 ? `; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}` : '';
  throw usageError(`which version? Add --to <version>${list}`);
}

async function upgradeClusters(hub: Client, context: CommandContext, request: UpgradeRequest, clusters: readonly string[]): Promise<void> {
  const { terminal } = context;
  const { addOn, to } = request;
  await checkAddOn(hub, addOn);
  if (to !== undefined) await checkVersion(hub, addOn, to);
  await requireStayingClusters(hub, clusters);
  for (const namespace of clusters) {
    const found = await find(hub, managedClusterAddOns, { namespace, name: addOn });
    if (!found) {
      const enable = `${shell`outrigger enable ${addOn} --cluster ${namespace}`}${to === undefined ? '' : shell` --to ${to}`}`;
      throw notFound(`${addOn} is not on ${namespace}: \`${enable}\` puts it there`);
    }
    requireStayingAddOn(found);
    await (to === undefined ? unpinField(hub, found, 'installVersion') : pinField(hub, found, 'installVersion', to));
    const clear = shell`outrigger upgrade ${addOn} --cluster ${namespace} --clear`;
    terminal.out(
      to === undefined
        ? `${addOn} on ${namespace} follows the fleet again\n`
        : `${addOn} on ${namespace} goes to ${to}, and stays there whatever the fleet does; \`${clear}\` ends that\n`,
    );
  }
  await waitForAddOn(context, hub, { ...request, cluster: clusters });
}

/**
 * Fails if an entry sets another version. Without the pin, the clusters of this entry would move to that version, which may have been
 * rolled back.
 */
function requireNoOtherVersion(managementAddOn: ClusterManagementAddOn, to: DeclaredVersion): void {
  const addOn = nameOf(managementAddOn);
  const [other] = entriesWithOwnVersion(managementAddOn, to).others;
  if (!other) return;
  throw new CommandError(
    `${addOn} is pinned by a rollback, and without the pin ${other.name} would move to ${clean(other.version)}: first \`${shell`outrigger upgrade ${addOn} --to ${to.version} --placement ${other.name}`}\``,
    EXIT.failed,
  );
}

/** Fails if every entry sets its own version, because a new default version would then move no cluster of the strategy. */
function requireFollower(managementAddOn: ClusterManagementAddOn, to: DeclaredVersion): void {
  if (!entriesWithOwnVersion(managementAddOn, to).isAll) return;
  throw new CommandError(
    [
      `every Placement of ${nameOf(managementAddOn)} sets its own version, so nothing was changed:`,
      ...otherVersions(managementAddOn, to),
    ].join('\n'),
    EXIT.failed,
  );
}

/**
 * Removes the pin after the manager has observed the new declaration, so that the next target is the new version, never the one that was
 * declared before.
 */
async function removePin(context: CommandContext, hub: Client, addOn: string): Promise<void> {
  const { timers } = await context.runtime();
  if (!(await untilObserved(hub, timers, addOn)))
    throw new CommandError(
      `the version is declared, but the manager has not looked at it yet, so ${addOn} stays pinned: \`outrigger doctor\`, then \`${shell`outrigger rollback ${addOn} --clear`}\``,
      EXIT.failed,
    );
  await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec: { pinnedRevision: null, pinnedEntries: null } } });
}

/** Describes the entries that set another version and therefore do not follow the default. */
function otherVersions(managementAddOn: ClusterManagementAddOn, to: DeclaredVersion): readonly string[] {
  const addOn = nameOf(managementAddOn);
  return entriesWithOwnVersion(managementAddOn, to).others.map(
    ({ name, version }) =>
      `${name} stays at ${clean(version)}: \`${shell`outrigger upgrade ${addOn} --to ${to.version} --placement ${name}`}\``,
  );
}
