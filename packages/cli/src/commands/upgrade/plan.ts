import type { ConnectionOptions } from '../../fleet/connect.js';
import { clusterVersionChange, versionChange } from '../../plan/changes.js';
import type { CommandContext } from '../context.js';
import { printPlan } from '../plan/run.js';
import type { UpgradeRequest } from './command.js';

/** Prints the plan of an upgrade. */
export function planUpgrade(context: CommandContext, request: ConnectionOptions & UpgradeRequest): Promise<void> {
  const { addOn, to, cluster, placement } = request;
  const where = cluster ? ` on ${cluster.join(', ')}` : placement === undefined ? '' : ` on the clusters of ${placement}`;
  const title = `${to === undefined ? 'following the fleet again' : `to ${to}`}${where}`;
  const change = cluster ? clusterVersionChange(addOn, cluster, to) : versionChange(addOn, to, placement);
  return printPlan(context, { ...request, title, change, ...(cluster ? { direct: cluster } : {}) });
}
