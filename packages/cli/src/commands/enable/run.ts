import { type ManagedClusterAddOn, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { notFound } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { listOf, nameOf } from '../../fleet/objects.js';
import { requireAddOn, requireVersion } from '../../fleet/versions.js';
import { suggestion } from '../../terminal/suggest.js';
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

export async function requireClusters(hub: Client, names: readonly string[]): Promise<void> {
  const known = (await listOf(hub, managedClusters)).map(nameOf);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw notFound(`there is no cluster "${unknown}"${suggestion(unknown, known)}`);
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
