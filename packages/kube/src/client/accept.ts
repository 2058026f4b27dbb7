/** Values of the Accept header. */
export const ACCEPT = {
  json: 'application/json',
  // The metadata types have no fallback on purpose, because whole objects would use the memory that metadata-only reads are meant to save.
  metadata: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  metadataList: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  table: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json',
} as const;

/** Content types of the patch formats. */
export const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
