import { clusterRoleBindings, deployments } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import { find } from '../fleet/objects.js';
import { HUB_ACCOUNT } from './hub.js';

/**
 * Fails if a manager is installed in another namespace than the requested one. A hub has one manager: its permissions and webhook
 * configurations have fixed names, so `install` in a second namespace would take them from the first manager, and `uninstall` of the wrong
 * namespace would delete them and leave the manager running.
 */
export async function requireOneManager(hub: Client, namespace: string): Promise<void> {
  const binding = await find(hub, clusterRoleBindings, { name: HUB_ACCOUNT });
  for (const { kind, name, namespace: other } of binding?.subjects ?? []) {
    if (kind !== 'ServiceAccount' || name !== HUB_ACCOUNT || other === undefined || other === namespace) continue;
    // A binding without its manager is what an interrupted `uninstall` leaves, and prevents nothing.
    if (await find(hub, deployments, { namespace: other, name: HUB_ACCOUNT }))
      throw new CommandError(
        `the manager of this hub is in the namespace ${other}, not in ${namespace}: add --namespace ${other}`,
        EXIT.failed,
      );
  }
}
