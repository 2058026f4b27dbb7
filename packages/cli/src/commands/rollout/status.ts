import { type AddOnRollout, type RolloutEntry, addOnRollouts, clusterManagementAddOns, progressionMessage, shell } from '@outrigger/api';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { isLookedAt } from '../../fleet/looked-at.js';
import { nameOf } from '../../fleet/objects.js';
import { type Source, askingSource } from '../../fleet/source.js';
import { clean } from '../../terminal/clean.js';
import { liveBlock } from '../../terminal/live.js';
import { table } from '../../terminal/table.js';
import { entryColumns } from '../../views/rollouts.js';
import type { CommandContext } from '../context.js';
import { requireRollout } from '../rollback/run.js';
import { follow } from '../watch.js';
import type { StatusOptions } from './command.js';

interface Request extends ConnectionOptions, StatusOptions {
  readonly addOn: string;
}

/**
 * How long a settled rollout must stay unchanged before the command ends. If something other than the declaration changed, no field shows
 * whether the manager has observed it.
 */
const STANDS_MS = 1_000;

interface Standing {
  readonly rollout: AddOnRollout;
  /** Whether the manager has observed the latest declaration, so that the rollout reflects it. */
  readonly isCurrent: boolean;
}

export async function status(context: CommandContext, request: Request): Promise<void> {
  const { terminal } = context;
  const { clock } = await context.runtime();
  await withHub(context, request, async (hub) => {
    const text = (rollout: AddOnRollout): string => statusText(rollout, clock.now(), terminal.style);
    const look = async (source: Source): Promise<Standing> => {
      const [rollouts, declarations] = await Promise.all([source.list(addOnRollouts), source.list(clusterManagementAddOns)]);
      const declaration = declarations.find((one) => nameOf(one) === request.addOn);
      const rollout = rollouts.find((one) => nameOf(one) === request.addOn) ?? (await requireRollout(hub, request.addOn));
      return { rollout, isCurrent: declaration === undefined || isLookedAt(declaration) };
    };
    let last = await look(askingSource(hub));
    if (!request.watch) {
      if (!last.isCurrent) terminal.note('the manager has not looked at the latest change yet; this is how it was before\n');
      return terminal.out(text(last.rollout));
    }
    const block = liveBlock(terminal);
    let shown = '';
    const show = (standing: Standing): number | void => {
      const { rollout, isCurrent } = standing;
      last = standing;
      if (terminal.isLive) block.show(text(rollout));
      else if (JSON.stringify(rollout) !== shown) terminal.out(text(rollout));
      shown = JSON.stringify(rollout);
      return isCurrent && isSettled(rollout) ? STANDS_MS : undefined;
    };
    await follow(context, hub, { look, show, ...(request.timeout > 0 ? { limitMs: request.timeout * 1000 } : {}) });
    block.end();
    if (!context.signal.aborted) requireDone(last, request.timeout);
  });
}

export function statusText(rollout: AddOnRollout, nowMs: number, style: CommandContext['terminal']['style']): string {
  const { status: current, spec, metadata } = rollout;
  const pinned = spec?.pinnedRevision === undefined ? '' : `, held at revision ${spec.pinnedRevision}`;
  const head = `${metadata.name}: ${current?.state ?? 'Pending'}${current?.target ? `, target ${current.target}` : ''}${pinned}\n`;
  const entries = current?.entries ?? [];
  return `${head}${table(entryColumns(nowMs), entries, { style })}${entries.map(remark).join('')}`;
}

/** The part of an entry's message that does not repeat its numbers. */
function remark({ name, message = '', selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0 }: RolloutEntry): string {
  const numbers = progressionMessage({ selected, done, progressing, failed, skipped });
  const said = message.startsWith(numbers) ? message.slice(numbers.length).replace(/^; /, '') : message;
  return said === '' ? '' : `${clean(name)}: ${clean(said)}\n`;
}

/** Whether the manager has observed the latest spec of the rollout, and the rollout is completed, halted or paused. */
export function isSettled({ metadata, status: current }: AddOnRollout): boolean {
  const isCurrent = (current?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isCurrent && (current?.state === 'Completed' || current?.state === 'Halted' || current?.state === 'Paused');
}

function requireDone({ rollout, isCurrent }: Standing, timeout: number): void {
  const { state, failed = 0 } = rollout.status ?? {};
  const name = rollout.metadata.name ?? '';
  if (!isCurrent)
    throw new CommandError(`the manager did not look at the latest change of ${name} within ${timeout} s: \`outrigger doctor\``, EXIT.no);
  if (state === 'Completed') {
    if (failed === 0) return;
    throw new CommandError(
      `${name} is through, but ${failed} clusters failed: \`${shell`outrigger get addons ${name} -o wide`}\` names them`,
      EXIT.no,
    );
  }
  if (state === 'Halted')
    throw new CommandError(
      `the rollout of ${name} is halted: ${failed} clusters failed; \`${shell`outrigger rollback ${name}`}\` goes back`,
      EXIT.no,
    );
  if (state === 'Paused')
    throw new CommandError(`the rollout of ${name} is paused: \`${shell`outrigger rollout resume ${name}`}\` goes on`, EXIT.no);
  throw new CommandError(`the rollout of ${name} was not done after ${timeout} s`, EXIT.no);
}
