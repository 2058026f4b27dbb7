import { errorMessage, ifFound, isApiError, type Kind, type KubeObject, keyOf, keyString, type Runtime } from '@outrigger/core';
import type { Client } from '../client/types.js';
import type { ApiName, Resource } from '../resource.js';
import { isNotLeading } from './fence.js';

/** The objects that a new leader claims, by writing its term into them, before its first decision. */
export interface Claim {
  readonly resources: readonly Resource[];
  /** The annotation that contains the name of the term. Its value is not read; it is written only to change the resourceVersion. */
  readonly annotation: string;
}

export interface ClaimContext {
  readonly runtime: Runtime;
  readonly apis: Readonly<Record<ApiName, Client>>;
  readonly term: string;
  readonly signal: AbortSignal;
}

const RETRY_MS = 1000;

/**
 * Writes the term into every claimed object, so that delayed writes by an earlier leader contain an outdated resourceVersion and are
 * rejected. Resolves when all objects contain the term; rejects only if aborted.
 */
export async function claimAll({ resources, annotation }: Claim, context: ClaimContext): Promise<void> {
  for (const resource of resources) {
    while (!(await claimResource(resource, annotation, context))) await context.runtime.timers.sleep(RETRY_MS, context.signal);
  }
}

async function claimResource(resource: Resource, annotation: string, context: ClaimContext): Promise<boolean> {
  const { kind, namespace, labelSelector } = resource;
  const selection = { ...(namespace === undefined ? {} : { namespace }), ...(labelSelector === undefined ? {} : { labelSelector }) };
  const client = context.apis[resource.api] as Client;
  try {
    for await (const object of client.listAll(kind, { ...selection, signal: context.signal })) {
      await claimObject(kind, object, annotation, client, context);
    }
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isNotLeading(error))
      context.runtime.log.warn({ resource: resource.name, error: errorMessage(error) }, 'objects could not be claimed for the new leader');
    return false;
  }
}

async function claimObject(
  kind: Kind,
  seen: KubeObject,
  annotation: string,
  client: Client,
  { term, signal }: ClaimContext,
): Promise<void> {
  const key = keyOf(seen);
  for (let object = seen; object.metadata.annotations?.[annotation] !== term; ) {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, annotations: { [annotation]: term } } };
    try {
      await client.patch(kind, key, { type: 'merge', patch }, { signal });
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (!isApiError(error, 'Conflict'))
        throw new Error(`claiming ${kind.kind} ${keyString(key)}: ${errorMessage(error)}`, { cause: error });
    }
    const current = await ifFound(client.get(kind, key, { signal }));
    if (!current) return;
    object = current;
  }
}
