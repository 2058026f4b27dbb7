import { addOnRollouts } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
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

/** Confirms exactly the removals that wait now. If the number changes before the manager reads the confirmation, the manager asks again. */
export async function confirm(context: CommandContext, request: Request): Promise<void> {
  await withHub(context, request, async (hub) => {
    const pending = (await requireRollout(hub, request.addOn)).status?.pendingRemoval;
    if (!pending) throw new CommandError(`no removal of ${request.addOn} waits for a confirmation`, EXIT.failed);
    await hub.patch(addOnRollouts, { name: request.addOn }, { type: 'merge', patch: { spec: { confirmRemoval: pending.count } } });
    context.terminal.out(`${request.addOn} will be removed from ${pending.count} of ${pending.of} clusters\n`);
  });
}

async function patchSpec(context: CommandContext, request: Request, spec: JsonObject, said: string): Promise<void> {
  await withHub(context, request, async (hub) => {
    await requireRollout(hub, request.addOn);
    await hub.patch(addOnRollouts, { name: request.addOn }, { type: 'merge', patch: { spec } });
    context.terminal.out(said);
  });
}
