import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Kind, type KubeObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import type { TestServer } from './server.js';
import type { Eventually } from '../world/eventually.js';

const CRD_KIND: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const ownDefinitions = (): readonly KubeObject[] => KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));

/**
 * Installs this repository's kinds, or the given CRDs for them, on a server. Resolves when the server serves them and its controllers
 * follow them.
 */
export async function installKinds(
  server: Pick<TestServer, 'followKinds'>,
  client: Client,
  eventually: Eventually,
  definitions = ownDefinitions(),
): Promise<void> {
  for (const definition of definitions) {
    await client.create(CRD_KIND, definition).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  }
  await eventually('the kinds are served', async () => {
    client.discovery.invalidate();
    const served = await Promise.all(
      KIND_DEFINITIONS.filter(({ group, plural }) => definitions.some(({ metadata }) => metadata.name === `${plural}.${group}`)).map(
        ({ group, kind, versions }) => client.discovery.serves({ group, kind, version: versions[0]?.version ?? '' }),
      ),
    );
    return served.every(Boolean) ? true : undefined;
  });
  await server.followKinds();
}
