import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Kind, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

const CRD_KIND: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export type Eventually = <T>(what: string, condition: () => Promise<T | undefined>) => Promise<T>;

/** Gives a server the kinds of this repository, and waits until it serves them. */
export async function installKinds(client: Client, eventually: Eventually): Promise<void> {
  for (const definition of KIND_DEFINITIONS) {
    await client.create(CRD_KIND, customResourceDefinition(definition)).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  }
  await eventually('the kinds are served', async () => {
    client.discovery.invalidate();
    const served = await Promise.all(
      KIND_DEFINITIONS.map(({ group, kind, versions }) => client.discovery.serves({ group, kind, version: versions[0]?.version ?? '' })),
    );
    return served.every(Boolean) ? true : undefined;
  });
}
