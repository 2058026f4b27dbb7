import { type ControllerRevision, controllerRevisions } from '@outrigger/api';
import { type JsonObject, type OwnerReference, apiVersionOf } from '@outrigger/core';
import { CONTENT_LABEL } from '../observed/contents.js';

/** The name of the object that stores content: a prefix and the first 40 characters of its digest. */
export function contentName(specHash: string): string {
  return `outrigger-content-${specHash.slice(0, 40)}`;
}

/** Builds the object that stores content. The object never changes, because different content has a different name. */
export function contentObject(
  specHash: string,
  content: JsonObject,
  namespace: string,
  owner: OwnerReference,
  named: Readonly<Record<string, string>> = {},
): ControllerRevision {
  return {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: {
      name: contentName(specHash),
      namespace,
      labels: { [CONTENT_LABEL]: '' },
      annotations: { [CONTENT_LABEL]: specHash, ...named },
      ownerReferences: [owner],
    },
    revision: 1,
    data: content,
  };
}

/** API servers reject objects larger than about 1.5 MiB; this limit leaves room for the other fields of the object. */
const MAX_CONTENT_BYTES = 1_048_576;

export function isTooLarge(content: JsonObject): boolean {
  const text = JSON.stringify(content);
  if (text.length > MAX_CONTENT_BYTES) return true;
  // A UTF-16 unit takes at most three bytes, so the bytes of a short text need not be counted.
  return text.length * 3 > MAX_CONTENT_BYTES && new TextEncoder().encode(text).length > MAX_CONTENT_BYTES;
}
