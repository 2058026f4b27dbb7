import { type Kind, type KubeObject, type ObjectKey, fieldsOf, parseFieldSelector, parseLabelSelector } from '@outrigger/core';
import type { Client, ListOptions, Patch } from '@outrigger/kube';
import type { Actor } from './api-event.js';
import type { MemoryApi } from './memory-api.js';

/** The requests that effects of controllers make. A method that no effect uses throws. */
export function effectClient(api: MemoryApi, actor: Actor): Client {
  const selected = <T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): T[] => {
    const labels = parseLabelSelector(options.labelSelector ?? '');
    const fields = parseFieldSelector(options.fieldSelector ?? '');
    return [...api.list(kind)].filter(
      (object) =>
        (options.namespace === undefined || object.metadata.namespace === options.namespace) &&
        labels.matches(object.metadata.labels) &&
        fields.matches(fieldsOf(object)),
    );
  };
  const methods = {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): Promise<T> {
      return api.get(kind, key);
    },
    async list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<unknown> {
      return { metadata: { resourceVersion: String(api.revision) }, items: selected(kind, options) };
    },
    async *listAll<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterableIterator<T> {
      yield* selected(kind, options);
    },
    async create(kind: Kind, object: KubeObject): Promise<KubeObject> {
      return api.create(actor, kind, object);
    },
    async patch(kind: Kind, key: ObjectKey, { type, patch }: Patch, options: { subresource?: string } = {}): Promise<KubeObject> {
      if (type !== 'merge') throw new Error(`no effect is known to send a ${type} patch`);
      const precondition = (patch['metadata'] ?? {}) as { uid?: string; resourceVersion?: string };
      return api.patch(actor, kind, key, patch, { precondition, subresource: options.subresource });
    },
  };
  return methods as unknown as Client;
}
