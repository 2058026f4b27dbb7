import { type Kind, type KubeObject, isApiError, parseApiVersion } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';

export function toDocuments(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${toYaml(object)}`).join('');
}

const MANAGER = 'outrigger-install';

/** Applies in the given order, taking over fields: whoever installs means these objects to be as they are here. */
export async function applyAll(client: Client, objects: readonly KubeObject[], say: (line: string) => void): Promise<void> {
  for (const object of objects) {
    const kind = await kindOf(client, object);
    await client.apply(kind, object, { fieldManager: MANAGER, force: true });
    say(`${object.kind} ${object.metadata.name} applied`);
  }
}

/** Removes in reverse order; what is not there is fine. */
export async function deleteAll(client: Client, objects: readonly KubeObject[], say: (line: string) => void): Promise<void> {
  for (const object of [...objects].reverse()) {
    const { group, version } = parseApiVersion(object.apiVersion);
    const kind = await client.discovery.kindOf({ group, version, kind: object.kind });
    if (!kind) continue;
    const { name = '', namespace } = object.metadata;
    try {
      await client.delete(kind, { name, ...(namespace === undefined ? {} : { namespace }) });
      say(`${object.kind} ${name} deleted`);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}

async function kindOf(client: Client, object: KubeObject): Promise<Kind> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = await client.discovery.kindOf({ group, version, kind: object.kind });
  if (kind) return kind;
  throw new CommandError(`this server does not serve ${object.apiVersion} ${object.kind}`, EXIT.failed);
}
