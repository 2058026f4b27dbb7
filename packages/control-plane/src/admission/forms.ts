import { apiVersionOf, type KubeObject } from '@outrigger/core';
import type { AdmissionAttributes } from '../handle/contract.js';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { Reviewed } from './reviewed.js';

/**
 * Returns the other resources whose objects are the same stored objects: other versions of this resource, or the same resource in another
 * group, such as `events` in the core group and in `events.k8s.io`.
 */
export function equivalentsOf(registry: Registry, resource: Resource): readonly Resource[] {
  const { group, plural } = resource.storage;
  return registry.all().filter((other) => other !== resource && other.storage.group === group && other.storage.plural === plural);
}

/** Converts a request to another version or group of its resource. */
export async function inForm(request: AdmissionAttributes, requested: Resource, form: Resource): Promise<Reviewed> {
  const { object, oldObject, subResource, kind } = request;
  const resource = { group: form.group, version: form.version, resource: form.plural };
  if (form === requested) return { request, kind, resource, object, oldObject };
  return {
    request,
    kind: form.subresources.get(subResource) ?? form,
    resource,
    object: object && (await converted(object, requested, form)),
    oldObject: oldObject && (await converted(oldObject, requested, form)),
  };
}

/**
 * Converts an object between the API versions or groups that serve it. Objects of subresource kinds such as Scale are the same in every
 * version and are returned unchanged.
 */
export async function converted(object: KubeObject, from: Resource, to: Resource): Promise<KubeObject> {
  if (from === to || object.apiVersion !== apiVersionOf(from)) return object;
  if (from.remote) return to.schema().defaulted(await from.remote.convert(object, apiVersionOf(to)));
  return to.fromStorage(from.toStorage(object));
}
