import { type ManagedClusterAddOn, managedClusterAddOns } from '@outrigger/api';
import { isApiError, keyOf, shell } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { requireStayingClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find } from '../../fleet/objects.js';
import { pinField } from '../../fleet/pins.js';
import { ifAllowed } from '../../fleet/readable.js';
import { requireStayingAddOn, requireStayingDeclaration } from '../../fleet/staying.js';
import { checkAddOn, checkVersion } from '../../fleet/versions.js';
import type { CommandContext } from '../context.js';
import { waitForAddOn } from '../wait.js';
import type { EnableOptions } from './command.js';

export async function enable(
  context: CommandContext,
  request: ConnectionOptions & EnableOptions & { readonly addOn: string },
): Promise<void> {
  const { terminal } = context;
  await withHub(context, request, async (hub) => {
    const managementAddOn = await checkAddOn(hub, request.addOn);
    if (managementAddOn) requireStayingDeclaration(managementAddOn);
    if (request.to !== undefined) await checkVersion(hub, request.addOn, request.to);
    await requireStayingClusters(hub, request.cluster);
    for (const cluster of request.cluster) {
      const created = await createAddOn(hub, addOnObject(request, cluster));
      if (created) await pinFields(hub, created, request);
      const { addOn, to } = request;
      const upgrade = to === undefined ? '' : shell`outrigger upgrade ${addOn} --cluster ${cluster} --to ${to}`;
      terminal.out(
        created
          ? `${addOn} enabled on ${cluster}\n`
          : `${addOn} is on ${cluster} already${upgrade === '' ? '' : `: \`${upgrade}\` changes its version`}\n`,
      );
    }
    await waitForAddOn(context, hub, request);
  });
}

function addOnObject({ addOn, to, installNamespace }: EnableOptions & { readonly addOn: string }, cluster: string): ManagedClusterAddOn {
  const spec = { ...(to === undefined ? {} : { installVersion: to }), ...(installNamespace === undefined ? {} : { installNamespace }) };
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name: addOn, namespace: cluster },
    spec,
  };
}

/**
 * Creates the add-on. Resolves with undefined if the cluster already has the add-on. Fails if the add-on is being removed from the cluster.
 */
async function createAddOn(hub: Client, object: ManagedClusterAddOn): Promise<ManagedClusterAddOn | undefined> {
  try {
    return await hub.create(managedClusterAddOns, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const found = await ifAllowed(find(hub, managedClusterAddOns, keyOf(object)));
    if (found) requireStayingAddOn(found);
    return undefined;
  }
}

/**
 * Transfers the ownership of each field to the field manager that `upgrade` uses. The create request has already set the fields, so the
 * add-on never exists without them.
 */
async function pinFields(hub: Client, clusterAddOn: ManagedClusterAddOn, { to, installNamespace }: EnableOptions): Promise<void> {
  if (to !== undefined) await pinField(hub, clusterAddOn, 'installVersion', to);
  if (installNamespace !== undefined) await pinField(hub, clusterAddOn, 'installNamespace', installNamespace);
}
