import { addOnRollouts, shell } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { dependentsOf, leavingClusters } from '../../fleet/leaving.js';
import { fleetSnapshot } from '../../fleet/snapshot.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';
import { requireRollout } from '../rollback/run.js';

interface Request extends ConnectionOptions {
  readonly addOn: string;
}

export function pause(context: CommandContext, request: Request): Promise<void> {
  return patchSpec(context, request, { paused: true }, `${request.addOn} is paused: clusters in motion finish, no further one starts\n`);
}

export function resume(context: CommandContext, request: Request): Promise<void> {
  return patchSpec(context, request, { paused: null }, `${request.addOn} goes on\n`);
}

/**
 * Confirms exactly the removals that wait now, after listing the clusters. If the number changes before the manager reads the
 * confirmation, the manager asks again.
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

async function patchSpec(context: CommandContext, request: Request, spec: JsonObject, said: string): Promise<void> {
  await withHub(context, request, async (hub) => {
    await requireRollout(hub, request.addOn);
    await hub.patch(addOnRollouts, { name: request.addOn }, { type: 'merge', patch: { spec } });
    context.terminal.out(said);
  });
}
