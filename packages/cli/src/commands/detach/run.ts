import { nameOf } from '@outrigger/core';
import { managedClusterAddOns, managedClusters } from '@outrigger/api';
import { usageError } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { listOf } from '../../fleet/objects.js';
import { ifAllowed } from '../../fleet/readable.js';
import type { CommandContext } from '../context.js';
import type { DetachOptions } from './command.js';

export async function detach(
  context: CommandContext,
  request: ConnectionOptions & DetachOptions & { readonly cluster: string },
): Promise<void> {
  const { cluster } = request;
  await withHub(context, request, async (hub) => {
    await requireClusters(hub, [cluster]);
    const addOns = (await ifAllowed(listOf(hub, managedClusterAddOns, cluster)))?.map(nameOf);
    const lost = !addOns ? 'all its add-ons, which your rights do not show' : addOns.length === 0 ? 'no add-ons' : addOns.join(', ');
    if (!request.yes) throw usageError(`detaching ${cluster} removes ${lost} from it: confirm with --yes`);
    await hub.delete(managedClusters, { name: cluster });
    context.terminal.out(
      `${cluster} leaves the fleet (${lost}); what remains on it is its agent: \`outrigger uninstall agent --apply\` there\n`,
    );
  });
}
