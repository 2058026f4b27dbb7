import {
  type Condition,
  type Kind,
  type KubeObject,
  type Runtime,
  findCondition,
  isApiError,
  keyOf,
  parseApiVersion,
} from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import { keepingConversion } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import { find } from '../fleet/objects.js';

export function toDocuments(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${toYaml(object)}`).join('');
}

const MANAGER = 'outrigger-install';
const ESTABLISH_LIMIT_MS = 30_000;
const POLL_MS = 100;

type Say = (line: string) => void;

/**
 * Applies in the given order, taking over fields: whoever installs means these objects to be as they are here. Returns when the server serves
 * every kind that was among them, so that whatever is started next finds them.
 */
export async function applyAll(client: Client, objects: readonly KubeObject[], runtime: Runtime, say: Say): Promise<void> {
  const definitions: { readonly kind: Kind; readonly name: string }[] = [];
  for (const object of objects) {
    const kind = await kindOf(client, object);
    const isDefinition = object.kind === 'CustomResourceDefinition';
    const wanted = isDefinition ? keepingConversion(object, await find(client, kind, keyOf(object))) : object;
    await client.apply(kind, wanted, { fieldManager: MANAGER, force: true });
    say(`${object.kind} ${object.metadata.name} applied`);
    if (isDefinition) definitions.push({ kind, name: object.metadata.name ?? '' });
  }
  for (const { kind, name } of definitions) await established(client, kind, name, runtime);
}

async function established(client: Client, kind: Kind, name: string, { clock, timers }: Runtime): Promise<void> {
  const limit = clock.monotonic() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const definition = (await client.get(kind, { name })) as KubeObject & {
      readonly status?: { readonly conditions?: readonly Condition[] };
    };
    const refused = findCondition(definition.status?.conditions, 'NamesAccepted');
    if (findCondition(definition.status?.conditions, 'Established')?.status === 'True') return;
    if (clock.monotonic() > limit)
      throw new CommandError(`${name} is not served: ${refused?.message ?? 'the server does not say why'}`, EXIT.failed);
    await timers.sleep(POLL_MS);
  }
}

/** Removes in reverse order; what is not there is fine. */
export async function deleteAll(client: Client, objects: readonly KubeObject[], say: Say): Promise<void> {
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
