import { FLEET_ROLLOUT, UNKNOWN_VERSION, addOnRollouts, managedClusterAddOns } from '@outrigger/api';
import { asJson, shell } from '@outrigger/core';
import { CommandError, EXIT, notFound } from '../../failure.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { requireClusters } from '../../fleet/clusters.js';
import { FAILED_REVISIONS_ANNOTATION, failedRevisions } from '../../fleet/failed-revisions.js';
import { find } from '../../fleet/objects.js';
import { pinField } from '../../fleet/pins.js';
import { lastCompleted, pinsFor } from '../../fleet/revisions.js';
import { dependentsOf, leavingClusters } from '../../fleet/leaving.js';
import { fleetSnapshot } from '../../fleet/snapshot.js';
import { requireStayingAddOn } from '../../fleet/staying.js';
import { knownVersions } from '../../fleet/versions.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';

interface Request extends ConnectionOptions {
  readonly addOn: string;
}

export function pause(context: CommandContext, request: Request): Promise<void> {
  return setPaused(context, request, true);
}

export function resume(context: CommandContext, request: Request): Promise<void> {
  return setPaused(context, request, false);
}

/**
 * Confirms exactly the removals that are pending now, and prints their clusters. If the number of pending removals changes before the
 * manager reads the confirmation, the manager requires another confirmation.
 */
export async function confirm(context: CommandContext, request: Request): Promise<void> {
  const { addOn } = request;
  await withHub(context, request, async (hub) => {
    const pending = (await requireRollout(hub, addOn)).status?.pendingRemoval;
    if (!pending)
      throw new CommandError(
        `no removal of ${addOn} waits for a confirmation: \`${shell`outrigger rollout status ${addOn}`}\``,
        EXIT.failed,
      );
    const snapshot = await fleetSnapshot(hub);
    const leaving = leavingClusters(snapshot, addOn);
    if (leaving.length !== pending.count)
      throw new CommandError(
        `${pending.count} removals of ${addOn} waited, and now ${leaving.length} clusters are to lose it: look again with \`${shell`outrigger rollout status ${addOn}`}\``,
        EXIT.failed,
      );
    await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec: { confirmRemoval: pending.count } } });
    context.terminal.out(`${addOn} will be removed from ${pending.count} of ${pending.of} clusters: ${leaving.map(clean).join(', ')}\n`);
    const dependents = dependentsOf(snapshot, addOn);
    if (dependents.length > 0) context.terminal.note(`these add-ons require it: ${dependents.map(clean).join(', ')}\n`);
  });
}

/** Pins the revisions that completed last, so that no further cluster moves to the current target. */
export async function abort(context: CommandContext, request: Request): Promise<void> {
  const { addOn } = request;
  await withHub(context, request, async (hub) => {
    const rollout = await requireRollout(hub, addOn);
    const found = lastCompleted(rollout);
    const failed = failedRevisions(rollout);
    const metadata = failed === undefined ? {} : { metadata: { annotations: { [FAILED_REVISIONS_ANNOTATION]: failed } } };
    const spec = asJson(pinsFor(rollout, found));
    await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { ...metadata, spec } });
    for (const { entry, target, reason } of found) {
      const where = entry === undefined ? '' : ` on the clusters of ${clean(entry)}`;
      context.terminal.out(`${addOn} goes back to revision ${target.revision}${where}, ${reason}, and is pinned there\n`);
    }
    context.terminal.out(`\`${shell`outrigger upgrade ${addOn}`}\` lists the versions to go on to with --to\n`);
  });
}

/**
 * Overrides the version of the add-on on each cluster with the version that the cluster already has, so that the rollout leaves the cluster
 * out.
 */
export async function skip(context: CommandContext, request: Request & { readonly cluster: readonly string[] }): Promise<void> {
  const { addOn, cluster } = request;
  await withHub(context, request, async (hub) => {
    await requireClusters(hub, cluster);
    for (const namespace of cluster) {
      const found = await find(hub, managedClusterAddOns, { namespace, name: addOn });
      if (!found) throw notFound(`${addOn} is not on ${namespace}: \`${shell`outrigger why ${addOn} --cluster ${namespace}`}\``);
      requireStayingAddOn(found);
      const { currentVersion, lastVersion } = found.status ?? {};
      // The agent of the cluster writes the status, so the version must be one that the hub knows.
      const known = await knownVersions(hub, found);
      const version = [currentVersion, lastVersion].find(
        (one) => one !== undefined && one !== '' && one !== UNKNOWN_VERSION && (known?.has(one) ?? true),
      );
      if (version === undefined)
        throw new CommandError(
          `${addOn} on ${namespace} has no version to stay at: \`${shell`outrigger why ${addOn} --cluster ${namespace}`}\``,
          EXIT.failed,
        );
      await pinField(hub, found, 'installVersion', version);
      context.terminal.out(
        `${addOn} on ${namespace} stays at ${clean(version)}; \`${shell`outrigger upgrade ${addOn} --cluster ${namespace} --clear`}\` lets it follow the fleet again\n`,
      );
    }
  });
}

async function setPaused(context: CommandContext, request: Request, paused: boolean): Promise<void> {
  const { addOn } = request;
  await withHub(context, request, async (hub) => {
    const { spec } = await requireRollout(hub, addOn);
    const wasPaused = spec?.paused === true;
    if (wasPaused !== paused)
      await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec: { paused: paused || null } } });
    const fleet = paused ? undefined : await find(hub, addOnRollouts, { name: FLEET_ROLLOUT });
    const rest = fleet?.spec?.paused ? ', but all rollouts of the fleet are paused: `outrigger resume --all` goes on' : '';
    if (paused)
      context.terminal.out(
        `${addOn} ${wasPaused ? 'was paused before' : 'is paused'}: clusters in flight finish, no further cluster starts\n`,
      );
    else
      context.terminal.out(
        `${addOn} ${wasPaused ? (rest === '' ? 'goes on' : 'is no longer paused by itself') : 'was not paused'}${rest}\n`,
      );
  });
}
