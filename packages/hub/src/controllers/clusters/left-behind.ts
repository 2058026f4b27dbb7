import { type ConfigMap, type ManifestWork, configMaps, manifestWorks } from '@outrigger/api';
import { type JsonObject, type KubeObject, apiVersionOf, isApiError } from '@outrigger/core';
import type { Client, EffectContext, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { LEFT_BEHIND_NAME, LEFT_BEHIND_UID } from '../../resources/cluster-rights.js';

export interface LeftBehindInput {
  readonly cluster: string;
  readonly uid: string;
}

/** Maximum length of the list of objects, in characters, so that the ConfigMap with its metadata stays below the size limit. */
const MAX_CHARS = 900_000;

/**
 * Records the objects that stay on a cluster that is detached by force: the manifests of its works, which no agent will remove. Reads the
 * works from the API server, because the caches do not contain manifests.
 */
export const recordLeftBehind: EffectHandler<LeftBehindInput> = async ({ cluster, uid }, context) => {
  const client = context.client(HUB);
  const lines: string[] = [];
  for await (const work of client.listAll(manifestWorks, { namespace: cluster, signal: context.signal })) lines.push(...linesOf(work));
  const data = { [LEFT_BEHIND_UID]: uid, objects: textOf(lines.sort()) };
  const object = await write(client, cluster, data, context);
  return [{ api: HUB, kind: configMaps, object }];
};

async function write(
  client: Client,
  cluster: string,
  data: Readonly<Record<string, string>>,
  { signal }: EffectContext,
): Promise<ConfigMap> {
  const key = { namespace: cluster, name: LEFT_BEHIND_NAME };
  const object: ConfigMap = { apiVersion: apiVersionOf(configMaps), kind: configMaps.kind, metadata: key, data };
  try {
    return await client.create(configMaps, object, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    // The existing ConfigMap belongs to an earlier cluster of this name, so overwrite its data.
    return client.patch(configMaps, key, { type: 'merge', patch: { data } }, { signal });
  }
}

/** Returns one line for each manifest of a work: `<work>: <apiVersion> <kind> [<namespace>/]<name>`. */
function linesOf({ metadata, spec }: ManifestWork): readonly string[] {
  const manifests = (spec.workload?.manifests ?? []) as unknown as readonly Partial<KubeObject>[];
  return manifests.map(({ apiVersion = '', kind = '', metadata: meta = {} }) => {
    const { namespace, name = '' } = meta as JsonObject & { namespace?: string; name?: string };
    return `${metadata.name ?? ''}: ${apiVersion} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  });
}

function textOf(lines: readonly string[]): string {
  let length = 0;
  const fitting = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MAX_CHARS;
  });
  if (fitting < 0) return lines.join('\n');
  return [...lines.slice(0, fitting), `… and ${lines.length - fitting} more`].join('\n');
}
