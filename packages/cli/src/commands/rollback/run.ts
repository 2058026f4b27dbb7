import { type AddOnRollout, addOnRollouts, shell } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT, notFound } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { untilLookedAt } from '../../fleet/looked-at.js';
import { find } from '../../fleet/objects.js';
import { revisionToRestore } from '../../fleet/revisions.js';
import { requireAddOn } from '../../fleet/versions.js';
import type { CommandContext } from '../context.js';
import type { RollbackOptions } from './command.js';

export async function rollback(
  context: CommandContext,
  request: ConnectionOptions & RollbackOptions & { readonly addOn: string },
): Promise<void> {
  const { addOn } = request;
  const { terminal } = context;
  const { timers } = await context.runtime();
  await withHub(context, request, async (hub) => {
    // Right after a change the rollout still shows the target before it, so its previous revision would be one too far back.
    const isUpToDate = request.clear || request.toRevision !== undefined || (await untilLookedAt(hub, timers, addOn));
    if (!isUpToDate) throw new CommandError(unseen(addOn), EXIT.failed);
    const rollout = await requireRollout(hub, addOn);
    if (request.clear) {
      await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec: { pinnedRevision: null } } });
      return terminal.out(`${addOn} follows its declaration again\n`);
    }
    const target = revisionToRestore(rollout, request.toRevision);
    await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec: { pinnedRevision: target.revision } } });
    const version = target.version ? ` (${target.version})` : '';
    terminal.out(
      `${addOn} goes back to revision ${target.revision}${version} and is held there: \`${shell`outrigger rollout status ${addOn} --watch`}\` follows it, \`${shell`outrigger rollback ${addOn} --clear`}\` lets go\n`,
    );
  });
}

function unseen(addOn: string): string {
  return (
    `the manager has not looked at the latest change of ${addOn} yet, so what was before it is not certain: \`outrigger doctor\` tells whether ` +
    `a manager runs, \`${shell`outrigger rollback ${addOn} --to-revision <n>`}\` goes to one of \`${shell`outrigger rollout history ${addOn}`}\``
  );
}

export async function requireRollout(hub: Client, addOn: string): Promise<AddOnRollout> {
  const found = await find(hub, addOnRollouts, { name: addOn });
  if (found) return found;
  await requireAddOn(hub, addOn);
  throw notFound(`${addOn} has no rollout yet: the manager makes it; \`outrigger doctor\` tells whether one runs`);
}
