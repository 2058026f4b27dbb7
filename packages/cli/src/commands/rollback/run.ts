import { type AddOnRollout, addOnRollouts, shell } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { untilLookedAt } from '../../fleet/looked-at.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { FAILED_REVISIONS_ANNOTATION, declaredVersions, failedRevisions, failsAgain } from '../../fleet/hold.js';
import { nameOf } from '../../fleet/objects.js';
import { revisionToRestore } from '../../fleet/revisions.js';
import { requireAddOn } from '../../fleet/versions.js';
import type { CommandContext } from '../context.js';
import { status } from '../rollout/status.js';
import type { RollbackOptions } from './command.js';

export async function rollback(
  context: CommandContext,
  request: ConnectionOptions & RollbackOptions & { readonly addOn: string },
): Promise<void> {
  const { addOn } = request;
  const { terminal } = context;
  const { timers } = await context.runtime();
  await withHub(context, request, async (hub) => {
    // Right after a change the rollout still shows the target before it, so the way back from there would be one too far back.
    const isUpToDate = request.clear || request.toRevision !== undefined || (await untilLookedAt(hub, timers, addOn));
    if (!isUpToDate) throw new CommandError(unseen(addOn), EXIT.failed);
    const rollout = await requireRollout(hub, addOn);
    if (request.clear) return clear(context, hub, rollout, request.yes === true);
    const { target, reason } = revisionToRestore(rollout, request.toRevision);
    const failed = failedRevisions(rollout);
    const metadata = failed === undefined ? {} : { metadata: { annotations: { [FAILED_REVISIONS_ANNOTATION]: failed } } };
    await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { ...metadata, spec: { pinnedRevision: target.revision } } });
    const version = target.version ? ` (${target.version})` : '';
    terminal.out(
      `${addOn} goes back to revision ${target.revision}${version}, ${reason}, and is held there: \`${shell`outrigger rollout status ${addOn} --watch`}\` follows it, \`${shell`outrigger rollback ${addOn} --clear`}\` ends the hold\n`,
    );
  });
  if (request.wait) await status(context, { ...request, watch: true, output: 'text' });
}

/** Ends the hold. Asks first if the declaration leads to content that failed before. */
async function clear({ terminal, ask }: CommandContext, hub: Client, rollout: AddOnRollout, isConfirmed: boolean): Promise<void> {
  const name = nameOf(rollout);
  const declaration = await requireAddOn(hub, name);
  const [failed] = failsAgain(declaration, rollout);
  const goesTo = declaredVersions(declaration)
    .map(({ where, version }) => `${where === '' ? '' : `${where} `}${version === '' ? 'the declared content' : version}`)
    .join(', ');
  if (failed && !isConfirmed) {
    const warning = `${name} goes to ${goesTo}, and revision ${failed.revision} (${failed.version ?? 'without a version'}) failed before`;
    if (!(await ask?.(`${warning}. Roll it out again?`)))
      throw new CommandError(
        `${warning}: nothing was changed; \`${shell`outrigger upgrade ${name} --to <version>`}\` goes to another version, \`${shell`outrigger rollback ${name} --clear --yes`}\` rolls it out again`,
        EXIT.failed,
      );
  }
  await hub.patch(addOnRollouts, { name }, { type: 'merge', patch: { spec: { pinnedRevision: null } } });
  terminal.out(
    `${name} follows its declaration again and goes to ${goesTo}: \`${shell`outrigger rollout status ${name} --watch`}\` follows it\n`,
  );
}

function unseen(addOn: string): string {
  return (
    `the manager has not looked at the latest change of ${addOn} yet, so what was before it is not certain: \`outrigger doctor\` tells whether ` +
    `a manager runs, \`${shell`outrigger rollback ${addOn} --to-revision <n>`}\` goes to one of \`${shell`outrigger rollout history ${addOn}`}\``
  );
}
