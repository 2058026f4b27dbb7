import { deepFreeze, type ApiResponse, type ApiStatus, type KubeObject } from '@outrigger/core';
import { deleteOptionsOf, type DeleteOptions } from '../../request/delete-options.js';
import type { RequestContext } from '../context.js';
import { MODIFIED, conflict, notFound } from '../errors.js';
import { objectResponse, plainResponse } from '../responses/respond.js';
import { admitDeletion } from '../write/admission.js';
import { markDeleted } from '../write/deletion.js';
import { isFinished } from '../write/finalizers.js';
import { keyFor, remove, save, shown } from '../write/save.js';
import { asObject } from '../../registry/draft.js';

const MAX_ATTEMPTS = 100;

export async function deleteObject(context: RequestContext): Promise<ApiResponse> {
  const { resource } = context;
  const { object, isGone } = await deleteOne(context, deleteOptionsOf(context.request));
  if (!isGone || resource.strategy.returnsDeletedObject) return objectResponse(context, object, 200);
  return plainResponse(context.request, success(context, object));
}

export interface Deleted {
  readonly object: KubeObject;
  /** Whether the object was removed. It is false while finalizers or a grace period keep the object. */
  readonly isGone: boolean;
}

/** Deletes an object, or starts its deletion. `named` is the name in the request; it is empty if the request deletes a collection. */
export async function deleteOne(context: RequestContext, options: DeleteOptions, named: string = context.path.name): Promise<Deleted> {
  const { resource, server } = context;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const entry = server.store.get(keyFor(context));
    if (!entry) throw notFound(resource, context.path.name);
    const old = await shown(resource, entry.object);
    assertPreconditions(context, options, old);
    await admitDeletion(context, old, options, named);
    const draft = markDeleted(context, old, options);
    // The object is already being deleted, and the request changes nothing.
    if (!draft) return { object: old, isGone: false };
    const isGone = isFinished(resource, asObject(draft));
    if (options.dryRun) return { object: asObject(draft), isGone };
    if (isGone) {
      // If the kind has no grace period and the object was not being deleted yet, its last state is the stored one, without a
      // deletionTimestamp.
      const last = resource.strategy.gracePeriodSeconds || old.metadata.deletionTimestamp ? deepFreeze(asObject(draft)) : old;
      if (await remove(context, entry)) return { object: last, isGone };
    } else {
      const written = await save(context, draft, entry.revision);
      if (written) return { object: written, isGone };
    }
  }
  throw conflict(resource, context.path.name, MODIFIED);
}

function assertPreconditions({ resource, path }: RequestContext, { uid, resourceVersion }: DeleteOptions, old: KubeObject): void {
  const named = { group: resource.group, plural: resource.kind };
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(named, path.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`;
    throw conflict(named, path.name, why);
  }
}

function success({ resource }: RequestContext, { metadata }: KubeObject): Omit<ApiStatus, 'code'> {
  const { name = '', uid = '' } = metadata;
  const group = resource.group === '' ? {} : { group: resource.group };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, ...group, kind: resource.plural, uid } };
}
