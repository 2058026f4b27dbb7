import type { ConnectionOptions } from '../../fleet/connect.js';
import { newAddOns } from '../../plan/changes.js';
import type { CommandContext } from '../context.js';
import { printPlan } from '../plan/run.js';
import type { EnableOptions } from './command.js';

/** Prints the plan for installing an add-on manually. */
export function planEnable(
  context: CommandContext,
  request: ConnectionOptions & EnableOptions & { readonly addOn: string },
): Promise<void> {
  const { addOn, cluster, to, installNamespace } = request;
  const spec = { ...(to === undefined ? {} : { installVersion: to }), ...(installNamespace === undefined ? {} : { installNamespace }) };
  return printPlan(context, { ...request, title: `on ${cluster.join(', ')}`, change: newAddOns(addOn, cluster, spec), direct: cluster });
}
