import { type AddOnRollout, addOnRollouts } from '@outrigger/api';
import { asJson, shell, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { untilObserved } from '../../fleet/observed.js';
import { nextStep, requireRollout } from '../../fleet/rollouts.js';
import { FAILED_REVISIONS_ANNOTATION, declaredVersions, failedRevisions, failsAgain } from '../../fleet/failed-revisions.js';
import {
  clearCommand,
  clearRefusal,
  failureRefusal,
  failureWarning,
  pinsFor,
  pinsWithout,
  type Restoration,
  restorations,
} from '../../fleet/revisions.js';
import { requireAddOn } from '../../fleet/versions.js';
import { clean } from '../../terminal/clean.js';
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
    // Until the manager has observed the latest change, the rollout shows the previous target, so a rollback from it would go back one
    // revision too far.
    const isUpToDate = request.clear || request.toRevision !== undefined || (await untilObserved(hub, timers, addOn));
    if (!isUpToDate) throw new CommandError(unseen(addOn), EXIT.failed);
    const rollout = await requireRollout(hub, addOn);
    if (request.clear) return clear(context, hub, rollout, request);
    const found = restorations(rollout, request);
    if (!request.yes) await confirmFailed(context, rollout, found, request);
    const failed = failedRevisions(rollout);
    const metadata = failed === undefined ? {} : { metadata: { annotations: { [FAILED_REVISIONS_ANNOTATION]: failed } } };
    await hub.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { ...metadata, spec: asJson(pinsFor(rollout, found)) } });
    const next = await nextStep(hub, addOn);
    for (const one of found) terminal.out(`${goesBack(addOn, one, next)}\n`);
  });
  if (request.wait) await status(context, { ...request, watch: true, output: 'text' });
}

/**
 * Asks for confirmation if the revision to restore failed or was rolled back. Fails if the user declines or the process is not interactive.
 */
async function confirmFailed(
  { ask }: CommandContext,
  rollout: AddOnRollout,
  found: readonly Restoration[],
  request: RollbackOptions,
): Promise<void> {
  const warning = failureWarning(rollout, found);
  if (warning === undefined || (await ask?.(`${warning}. Roll it out again?`))) return;
  throw failureRefusal(rollout, request, warning);
}

function goesBack(addOn: string, { entry, target, reason }: Restoration, next: string): string {
  const where = entry === undefined ? '' : ` on the clusters of ${entry}`;
  const version = target.version ? ` (${clean(target.version)})` : '';
  return `${addOn} goes back to revision ${target.revision}${version}${where}, ${reason}, and is pinned there${next}; \`${clearCommand(addOn, entry)}\` removes the pin`;
}

/** Removes the pin. Asks for confirmation if the declaration specifies content that has failed before. */
async function clear(
  { terminal, ask }: CommandContext,
  hub: Client,
  rollout: AddOnRollout,
  { placement, yes: isConfirmed }: RollbackOptions,
): Promise<void> {
  const name = nameOf(rollout);
  const pins = pinsWithout(rollout, placement);
  if (!pins) {
    terminal.out(`${name} is not pinned: it follows its declaration already\n`);
    return;
  }
  const spec = asJson(pins);
  const managementAddOn = await requireAddOn(hub, name);
  const [failed] = failsAgain(managementAddOn, rollout);
  const versions = declaredVersions(managementAddOn);
  const own = versions.filter(({ where }) => where === placement);
  const goesTo = (placement === undefined ? versions : own.length > 0 ? own : versions.slice(0, 1))
    .map(({ where, version }) => `${where === '' ? '' : `${where} `}${version === '' ? 'the declared content' : clean(version)}`)
    .join(', ');
  if (failed && !isConfirmed) {
    const warning = `${name} goes to ${goesTo}, and revision ${failed.revision} (${clean(failed.version ?? 'without a version')}) failed before`;
    if (!(await ask?.(`${warning}. Roll it out again?`))) throw clearRefusal(name, placement, warning);
  }
  await hub.patch(addOnRollouts, { name }, { type: 'merge', patch: { spec } });
  const where = placement === undefined ? '' : ` on the clusters of ${placement}`;
  terminal.out(`${name} follows its declaration again${where} and goes to ${goesTo}${await nextStep(hub, name)}\n`);
}

function unseen(addOn: string): string {
  return (
    `the manager has not looked at the latest change of ${addOn} yet, so what was before it is not certain: \`outrigger doctor\` tells whether ` +
    `a manager runs; or choose one of \`${shell`outrigger rollout history ${addOn}`}\` with --to-revision`
  );
}
