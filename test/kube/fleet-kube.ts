import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import type { Kind, Runtime } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { type FleetWorld, eventually } from '../integration/fleet/world.js';

const CRD_KIND: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export async function clientOf(kubeconfig: string, runtime: Runtime): Promise<Client> {
  const { connection } = await loadConnection({ kubeconfig });
  return createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'http/1.1' }), runtime });
}

/** Installs our kinds and waits until they are served. */
export async function installKinds(world: FleetWorld): Promise<void> {
  const { hub } = world;
  for (const definition of KIND_DEFINITIONS) await hub.create(CRD_KIND, customResourceDefinition(definition));
  await eventually(world, 'the kinds are served', async () => {
    hub.discovery.invalidate();
    const served = await Promise.all(
      KIND_DEFINITIONS.map(({ group, kind, versions }) => hub.discovery.serves({ group, kind, version: versions[0]?.version ?? '' })),
    );
    return served.every(Boolean) ? true : undefined;
  });
}
