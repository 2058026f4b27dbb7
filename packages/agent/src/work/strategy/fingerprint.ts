import { type UpdateStrategy, WORK_FIELD_MANAGER } from '@outrigger/api';
import type { JsonObject, KubeObject } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';

export function fieldManagerOf(strategy: UpdateStrategy): string {
  return strategy.serverSideApply?.fieldManager ?? WORK_FIELD_MANAGER;
}

/**
 * What of an object changes when somebody undoes what we wrote: its content, or with server-side apply the fields we own. Equal to what
 * it was after our write means there is nothing to repair, whatever the server or its webhooks made of the manifest.
 */
export function fingerprint(strategy: UpdateStrategy, object: KubeObject): string {
  const what = strategy.type === 'ServerSideApply' ? appliedFields(object, fieldManagerOf(strategy)) : contentOf(object);
  return sha256Hex(canonicalJson(what ?? null));
}

/** The fields a manager has applied, as the server keeps them. */
export function appliedFields(object: KubeObject, manager: string): JsonObject | undefined {
  const entry = (object.metadata.managedFields ?? []).find(
    (candidate) => candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === '',
  );
  return entry?.fieldsV1 as JsonObject | undefined;
}

function contentOf(object: KubeObject): unknown {
  const { metadata, status: _, ...content } = object as KubeObject & { readonly status?: unknown };
  return { ...content, labels: metadata.labels, annotations: metadata.annotations };
}
