import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The kinds that components of the cluster itself keep writing, or that only record events. */
const PASSING: readonly string[] = ['Event', 'Lease', 'EndpointSlice', 'Endpoints', 'ComponentStatus', 'APIService'];

/** Objects that only Outrigger reads. Uninstalling keeps them, so that a new installation continues from them. */
const KEPT_KINDS: readonly string[] = ['AddOnRollout', 'ControllerRevision'];
const KEPT_NAMES = /\.outrigger\.dev$|^outrigger-(join|webhook-authority)$/;

/** Returns every object on the hub with its content. Equal results before and after mean that nothing was changed, added or lost. */
export async function inventoryOf(hub: Client): Promise<Readonly<Record<string, unknown>>> {
  hub.discovery.invalidate();
  const listed = (await hub.discovery.resources()).filter(({ verbs, kind }) => verbs.includes('list') && !PASSING.includes(kind));
  const kinds = new Map(listed.map((one) => [`${one.group}/${one.kind}`, one]));
  const found: Record<string, unknown> = {};
  for (const kind of kinds.values()) {
    if (KEPT_KINDS.includes(kind.kind)) continue;
    for await (const object of hub.listAll(kind)) {
      const { name = '', namespace = '' } = object.metadata;
      if (KEPT_NAMES.test(name) || KEPT_NAMES.test(namespace)) continue;
      found[`${kind.kind} ${namespace}/${name}`] = contentOf(object);
    }
  }
  return found;
}

/** Returns the content of an object, without server-generated metadata, managed fields and status. */
function contentOf({ metadata, ...rest }: KubeObject): unknown {
  const { status: _, ...content } = rest as Readonly<Record<string, unknown>>;
  const { uid, labels, annotations = {}, finalizers, ownerReferences } = metadata;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('outrigger.dev/')));
  return { ...content, metadata: { uid, labels, annotations: kept, finalizers, ownerReferences } };
}
