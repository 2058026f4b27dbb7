import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** Kinds whose objects only record events, or are computed by the server on every read. */
const PASSING: readonly string[] = ['Event', 'ComponentStatus'];

/** The namespaces of the Leases that components of the cluster itself renew. */
const OF_THE_CLUSTER: readonly string[] = ['kube-system', 'kube-node-lease'];

/**
 * Returns every object on the hub with its content, whichever program created it. If two inventories are equal, nothing was changed, added
 * or lost between them.
 */
export async function inventoryOf(hub: Client): Promise<Readonly<Record<string, unknown>>> {
  hub.discovery.invalidate();
  const listed = (await hub.discovery.resources()).filter(({ verbs, kind }) => verbs.includes('list') && !PASSING.includes(kind));
  const kinds = new Map(listed.map((one) => [`${one.group}/${one.kind}`, one]));
  const found: Record<string, unknown> = {};
  for (const kind of kinds.values()) {
    for await (const object of hub.listAll(kind)) {
      const { name = '', namespace = '' } = object.metadata;
      if (kind.kind === 'Lease' && OF_THE_CLUSTER.includes(namespace)) continue;
      found[`${kind.group}/${kind.kind} ${namespace}/${name}`] = contentOf(object);
    }
  }
  return found;
}

/**
 * Returns the content of an object with its uid, but without other server-generated metadata and managed fields. The status is reduced to
 * field names and condition types, because the controllers rewrite its values but must not remove fields or conditions of other programs.
 */
function contentOf({ metadata, ...rest }: KubeObject): unknown {
  const { status, ...content } = rest as Readonly<Record<string, unknown>>;
  const { uid, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const shape = shapeOf(status);
  return { ...content, metadata: { uid, labels, annotations, finalizers, ownerReferences }, status: shape };
}

function shapeOf(status: unknown): readonly string[] {
  if (typeof status !== 'object' || status === null) return [];
  const { conditions = [] } = status as { readonly conditions?: readonly { readonly type: string }[] };
  return [...Object.keys(status), ...conditions.map(({ type }) => `condition ${type}`)].sort();
}
