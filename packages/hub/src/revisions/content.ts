import { type ControllerRevision, clusterManagementAddOns, controllerRevisions } from '@outrigger/api';
import { type JsonObject, type OwnerReference, apiVersionOf } from '@outrigger/core';
import { CONTENT_LABEL } from '../resources/contents.js';

/** The name content is kept under: its digest, shortened to what a name needs. */
export function contentName(specHash: string): string {
  return `outrigger-content-${specHash.slice(0, 40)}`;
}

/** The object that keeps one content. Immutable by nature: other content has another name. */
export function contentObject(
  specHash: string,
  content: JsonObject,
  namespace: string,
  owner: { readonly name: string; readonly uid: string },
): ControllerRevision {
  return {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: {
      name: contentName(specHash),
      namespace,
      labels: { [CONTENT_LABEL]: '' },
      annotations: { [CONTENT_LABEL]: specHash },
      ownerReferences: [contentOwner(owner)],
    },
    revision: 1,
    data: content,
  };
}

export function contentOwner({ name, uid }: { readonly name: string; readonly uid: string }): OwnerReference {
  return { apiVersion: apiVersionOf(clusterManagementAddOns), kind: clusterManagementAddOns.kind, name, uid };
}
