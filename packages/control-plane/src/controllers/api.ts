import {
  ApiError,
  type ApiRequest,
  collectionPath,
  type JsonObject,
  type Kind,
  type KubeObject,
  type ObjectKey,
  objectPath,
} from '@outrigger/core';
import type { Handle, Identity } from '../handle/contract.js';

/** The state of the object that a write assumes. The server rejects the write with Conflict if the object is in another state. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** The writes that controllers inside the server make. Each method rejects with the `ApiError` of the server's response. */
export interface ControllerApi {
  create(kind: Kind, object: KubeObject): Promise<KubeObject>;
  /** Replaces the object, or one of its subresources. */
  replace(kind: Kind, object: KubeObject, subresource?: string): Promise<KubeObject>;
  mergePatch(kind: Kind, key: ObjectKey, patch: JsonObject, subresource?: string): Promise<KubeObject>;
  remove(kind: Kind, key: ObjectKey, options?: RemoveOptions): Promise<void>;
}

export interface RemoveOptions {
  readonly preconditions?: Preconditions;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun?: readonly string[];
}

const FIELD_MANAGER = 'kube-controller-manager';

export function createControllerApi(handle: Handle, identity: Identity, fieldManager: string = FIELD_MANAGER): ControllerApi {
  const send = async (request: ApiRequest): Promise<unknown> => {
    const response = await handle(request, identity);
    if (response.status >= 300) throw ApiError.fromStatus(response.body ?? {}, response.status);
    return response.body;
  };
  const query = { fieldManager };
  const json = { 'content-type': 'application/json', 'user-agent': fieldManager };
  return {
    create: async (kind, object) =>
      (await send({
        method: 'POST',
        path: collectionPath(kind, object.metadata.namespace),
        query,
        headers: json,
        body: object,
      })) as KubeObject,
    replace: async (kind, object, subresource) =>
      (await send({
        method: 'PUT',
        path: objectPath(kind, { ...nameOf(object), subresource }),
        query,
        headers: json,
        body: object,
      })) as KubeObject,
    mergePatch: async (kind, key, patch, subresource) =>
      (await send({
        method: 'PATCH',
        path: objectPath(kind, { ...key, subresource }),
        query,
        headers: { ...json, 'content-type': 'application/merge-patch+json' },
        body: patch,
      })) as KubeObject,
    remove: async (kind, key, options = {}) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...plainJson(options) };
      await send({ method: 'DELETE', path: objectPath(kind, key), headers: json, body });
    },
  };
}

function nameOf(object: KubeObject): ObjectKey {
  const { name = '', namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** Returns the options as they would arrive over a socket, without undefined members. */
function plainJson(options: RemoveOptions): JsonObject {
  return JSON.parse(JSON.stringify(options)) as JsonObject;
}
