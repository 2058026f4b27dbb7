import type { ConnectionOptions } from '../../fleet/connect.js';
import { pinRemoval, rollbackChange } from '../../plan/changes.js';
import type { CommandContext } from '../context.js';
import { printPlan } from '../plan/run.js';
import type { RollbackOptions } from './command.js';

/** Prints the plan of a rollback, or of removing its pin. */
export function planRollback(
  context: CommandContext,
  request: ConnectionOptions & RollbackOptions & { readonly addOn: string },
): Promise<void> {
  const { addOn, clear, placement } = request;
  const title = clear ? 'following its declaration again' : 'back to an earlier revision';
  return printPlan(context, { ...request, title, change: clear ? pinRemoval(addOn, placement) : rollbackChange(addOn, request) });
}
