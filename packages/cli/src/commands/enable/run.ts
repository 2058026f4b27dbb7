import { type ManagedClusterAddOn, managedClusterAddOns } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { requireAddOn, requireVersion } from '../../fleet/versions.js';
import type { CommandContext } from '../context.js';
import type { EnableOptions } from './command.js';

export async function enable(
  context: CommandContext,
  request: ConnectionOptions & EnableOptions & { readonly addOn: string },
): Promise<void> {
  const { terminal } = context;
  await withHub(context, request, async (hub) => {
    await requireAddOn(hub, request.addOn);
    if (request.to !== undefined) await requireVersion(hub, request.addOn, request.to);
    await requireClusters(hub, request.cluster);
    for (const cluster of request.cluster) {
      const isNew = await createAddOn(hub, addOnObject(request, cluster));
      terminal.out(
        isNew
          ? `${request.addOn} enabled on ${cluster}\n`
          : `${request.addOn} is on ${cluster} already${request.to ? `: \`outrigger upgrade ${request.addOn} --cluster ${cluster} --to ${request.to}\` changes its version` : ''}\n`,
      );
    }
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

async function createAddOn(hub: Client, object: ManagedClusterAddOn): Promise<boolean> {
  try {
    await hub.create(managedClusterAddOns, object);
    return true;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return false;
    throw error;
  }
}
