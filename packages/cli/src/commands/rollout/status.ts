import type { AddOnRollout } from '@outrigger/api';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { liveBlock } from '../../terminal/live.js';
import { table } from '../../terminal/table.js';
import { entryColumns } from '../../views/rollouts.js';
import type { CommandContext } from '../context.js';
import { requireRollout } from '../rollback/run.js';
import { repeat } from '../watch.js';
import type { StatusOptions } from './command.js';

interface Request extends ConnectionOptions, StatusOptions {
  readonly addOn: string;
}

export async function status(context: CommandContext, request: Request): Promise<void> {
  const { terminal } = context;
  const { clock } = await context.runtime();
  await withHub(context, request, async (hub) => {
    const started = clock.monotonic();
    const block = liveBlock(terminal);
    let last: AddOnRollout | undefined;
    let wasSettled = false;
    await repeat(
      context,
      () => requireRollout(hub, request.addOn),
      (rollout, isChanged) => {
        last = rollout;
        const text = statusText(rollout, clock.now(), terminal.style);
        if (terminal.isLive && request.watch) block.show(text);
        else if (isChanged) terminal.out(text);
        const isLate = request.timeout > 0 && clock.monotonic() - started > request.timeout * 1000;
        // Twice in a row: right after a change the record still tells of the time before, for as long as the manager has not looked.
        const isDone = isSettled(rollout) && wasSettled;
        wasSettled = isSettled(rollout);
        return !request.watch || isDone || isLate;
      },
    );
    block.end();
    if (request.watch && last && !context.signal.aborted) requireDone(last, request.timeout);
  });
}

export function statusText(rollout: AddOnRollout, nowMs: number, style: CommandContext['terminal']['style']): string {
  const { status: current, spec, metadata } = rollout;
  const pinned = spec?.pinnedRevision === undefined ? '' : `, held at revision ${spec.pinnedRevision}`;
  const head = `${metadata.name}: ${current?.state ?? 'Pending'}${current?.target ? `, target ${current.target}` : ''}${pinned}\n`;
  return `${head}${table(entryColumns(nowMs), current?.entries ?? [], { style })}`;
}

/** Whether the manager has seen the latest wishes, and nothing moves any more. */
export function isSettled({ metadata, status: current }: AddOnRollout): boolean {
  const isCurrent = (current?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isCurrent && (current?.state === 'Completed' || current?.state === 'Halted' || current?.state === 'Paused');
}

function requireDone(rollout: AddOnRollout, timeout: number): void {
  const { state, failed = 0 } = rollout.status ?? {};
  const name = rollout.metadata.name ?? '';
  if (state === 'Completed') {
    if (failed === 0) return;
    throw new CommandError(
      `${name} is through, but ${failed} clusters failed: \`outrigger get addons ${name} -o wide\` names them`,
      EXIT.no,
    );
  }
  if (state === 'Halted')
    throw new CommandError(
      `the rollout of ${name} is halted: ${failed} clusters failed; \`outrigger rollback ${name}\` goes back`,
      EXIT.no,
    );
  if (state === 'Paused') throw new CommandError(`the rollout of ${name} is paused: \`outrigger rollout resume ${name}\` goes on`, EXIT.no);
  throw new CommandError(`the rollout of ${name} was not done after ${timeout} s`, EXIT.no);
}
