import { type JsonObject, type KubeObject, deepEqual, isApiError, keyOf, keyString } from '@outrigger/core';
import type { Client, Resource } from '@outrigger/kube';

/** The objects on a hub, listed once. */
export interface HubListing {
  readonly objects: ReadonlyMap<Resource, readonly KubeObject[]>;
  /** Plural names of the kinds that the user may not list. */
  readonly unreadable: readonly string[];
}

/** Lists the resources that the manager's decisions read. If the server refuses to list a kind, its objects are unknown. */
export async function listHub(client: Client, resources: readonly Resource[]): Promise<HubListing> {
  const unreadable = new Set<string>();
  const lists = await Promise.all(
    resources.map(async (resource): Promise<readonly [Resource, readonly KubeObject[]]> => {
      try {
        return [resource, await all(client, resource)];
      } catch (error) {
        if (isApiError(error, 'NotFound') && resource.isEmptyIfNotServed) return [resource, []];
        if (!isApiError(error, 'Forbidden')) throw error;
        unreadable.add(resource.kind.plural);
        return [resource, []];
      }
    }),
  );
  return { objects: new Map(lists), unreadable: [...unreadable].sort() };
}

async function all(client: Client, { kind, labelSelector, fieldSelector, metadataOnly }: Resource): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  const options = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly ? { metadataOnly } : {}),
  };
  for await (const object of client.listAll(kind, options)) found.push(object);
  return found;
}

/** The listing as it would be after these objects were written. Ignores objects of kinds that no decision reads. */
export function withObjects({ objects, unreadable }: HubListing, written: readonly KubeObject[]): HubListing {
  const next = new Map(objects);
  for (const object of written) {
    const group = object.apiVersion.includes('/') ? (object.apiVersion.split('/')[0] ?? '') : '';
    for (const [resource, listed] of next) {
      if (resource.kind.kind !== object.kind || resource.kind.group !== group) continue;
      const id = keyString(keyOf(object));
      const old = listed.find((one) => keyString(keyOf(one)) === id);
      next.set(resource, [...listed.filter((one) => one !== old), stored(old, object)]);
    }
  }
  return { objects: next, unreadable };
}

/** The object as the API server would store it in place of the old one. */
function stored(old: KubeObject | undefined, object: KubeObject): KubeObject {
  const specOf = (one: KubeObject | undefined): unknown => (one as { readonly spec?: JsonObject } | undefined)?.spec;
  const {
    uid = `planned-${object.kind}-${keyString(keyOf(object))}`,
    generation = 0,
    creationTimestamp,
    resourceVersion = '0',
  } = old?.metadata ?? {};
  const isNewSpec = !deepEqual(specOf(old), specOf(object));
  return {
    ...(old && 'status' in old ? { status: old.status } : {}),
    ...object,
    metadata: {
      ...(old?.metadata.managedFields ? { managedFields: old.metadata.managedFields } : {}),
      ...(old?.metadata.annotations ? { annotations: old.metadata.annotations } : {}),
      ...object.metadata,
      uid,
      generation: generation + (isNewSpec ? 1 : 0),
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
  };
}
