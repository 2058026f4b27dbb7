import { compileLabelSelector, type KubeObject } from '@outrigger/core';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { Store } from '../store/contract.js';
import { storageKey, storagePrefix } from '../store/key.js';
import type { ParamRef, PolicySpec } from './contract.js';

/** Returns the resource of a policy's paramKind. Throws if it is not served. */
export function paramResource(registry: Registry, { apiVersion, kind }: NonNullable<PolicySpec['paramKind']>): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const found = registry.all().find((resource) => resource.group === group && resource.version === version && resource.kind === kind);
  if (found && !found.isVirtual) return found;
  throw new Error(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
}

/** Returns the objects that a binding selects as parameters. Throws if the binding requires parameters and there are none. */
export async function paramsOf(store: Store, resource: Resource, ref: ParamRef, requestNamespace: string): Promise<readonly KubeObject[]> {
  const namespace = namespaceOf(resource, ref, requestNamespace);
  const stored = ref.name
    ? [store.get(storageKey({ ...resource.storage, namespace, name: ref.name }))]
    : selected(store, resource, ref, namespace);
  const objects = stored.flatMap((entry) => (entry ? [entry.object] : []));
  if (resource.remote) await resource.remote.fetchShown(objects);
  const params = objects.map((object) => resource.fromStorage(object));
  if (params.length === 0 && ref.parameterNotFoundAction !== 'Allow') {
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return params;
}

function namespaceOf({ namespaced }: Resource, { namespace = '' }: ParamRef, requestNamespace: string): string {
  if (!namespaced) {
    if (namespace !== '') throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
    return '';
  }
  if (namespace === '' && requestNamespace === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  return namespace === '' ? requestNamespace : namespace;
}

function selected(store: Store, { storage }: Resource, { selector = {} }: ParamRef, namespace: string): { readonly object: KubeObject }[] {
  const labels = compileLabelSelector(selector);
  return store.range(storagePrefix(storage, namespace)).entries.filter(({ object }) => labels.matches(object.metadata.labels));
}
