import { DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION, INSTALLED_SPEC_ANNOTATION, managedClusterAddOns } from '@outrigger/api';
import { isApiError, shell, nameOf } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { explainSelection, type Snapshot } from '@outrigger/rules/why';
import { clusterSnapshot } from '../../fleet/snapshot.js';
import { checkAddOn } from '../../fleet/versions.js';
import type { CommandContext } from '../context.js';
import { waitForRemoval } from '../wait.js';
import type { DisableOptions } from './command.js';

/**
 * Deletes the add-on on each cluster. Fails if the install strategy selects the cluster, because the installer would create the add-on
 * again immediately.
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
      const managementAddOn = snapshot.managementAddOns.find((one) => nameOf(one) === addOn);
      const [cluster] = snapshot.clusters;
      if (snapshot.unreadable && !request.force) requireHandMade(snapshot, addOn, name);
      if (managementAddOn && cluster && explainSelection(snapshot, managementAddOn, cluster).isSelected) {
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
        // If the add-on is neither on the cluster nor declared, its name is probably misspelt, so `checkAddOn` fails.
        if (!managementAddOn) await checkAddOn(hub, addOn);
        terminal.out(`${addOn} is not on ${name}\n`);
      }
    }
    await waitForRemoval(context, hub, request);
  });
}

/**
 * Fails if the installer created the add-on, unless `--force` is set. This check is for users who may not read the declaration. The
 * installer's mark shows that a strategy has selected the cluster, but not whether the strategy still selects the cluster.
 */
function requireHandMade({ installed }: Snapshot, addOn: string, cluster: string): void {
  const found = installed.find((one) => nameOf(one) === addOn);
  if (found?.metadata.annotations?.[INSTALLED_SPEC_ANNOTATION] === undefined) return;
  throw new CommandError(
    `the fleet's strategy put ${addOn} on ${cluster} and may put it back: ask a fleet admin to run \`${shell`kubectl annotate managedcluster ${cluster} ${DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION}=true`}\`, then type \`${shell`outrigger disable ${addOn} --cluster ${cluster} --force`}\``,
    EXIT.failed,
  );
}
