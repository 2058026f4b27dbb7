import { DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION, managedClusterAddOns, shell } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { nameOf } from '../../fleet/objects.js';
import { clusterSnapshot } from '../../fleet/snapshot.js';
import { explainSelection } from '../../why/selection.js';
import type { CommandContext } from '../context.js';
import type { DisableOptions } from './command.js';

/**
 * Deletes the add-on on each cluster. Refuses if the install strategy selects the cluster, because the installer would create the add-on
 * again at once.
 */
export async function disable(
  context: CommandContext,
  request: ConnectionOptions & DisableOptions & { readonly addOn: string },
): Promise<void> {
  const { terminal } = context;
  const { addOn } = request;
  await withHub(context, request, async (hub) => {
    await requireClusters(hub, request.cluster);
    for (const name of request.cluster) {
      const snapshot = await clusterSnapshot(hub, name);
      const declaration = snapshot.addOns.find((one) => nameOf(one) === addOn);
      const [cluster] = snapshot.clusters;
      if (declaration && cluster && explainSelection(snapshot, declaration, cluster).isSelected) {
        throw new CommandError(
          `the strategy of ${addOn} selects ${name} and would put it back: change the strategy or the cluster's labels, or keep all automatic installations off with \`${shell`kubectl annotate managedcluster ${name} ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION}=true`}\``,
          EXIT.failed,
        );
      }
      try {
        await hub.delete(managedClusterAddOns, { namespace: name, name: addOn });
        terminal.out(`${addOn} disabled on ${name}\n`);
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
        terminal.out(`${addOn} is not on ${name}\n`);
      }
    }
  });
}
