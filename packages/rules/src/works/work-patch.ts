import { ADDON_VERSION_LABEL, CONFIG_SPEC_HASH_ANNOTATION, type ManifestWork } from '@outrigger/api';
import { type JsonObject, asJson } from '@outrigger/core';

/**
 * Builds the merge patch that turns an existing work into the given one. A merge patch keeps members that it does not name, so members to
 * remove are set to null.
 */
export function workPatch({ metadata: { labels, annotations, ownerReferences }, spec }: ManifestWork): JsonObject {
  return asJson({
    metadata: {
      labels: { [ADDON_VERSION_LABEL]: null, ...labels },
      annotations: { [CONFIG_SPEC_HASH_ANNOTATION]: null, ...annotations },
      ownerReferences,
    },
    spec: { deleteOption: null, manifestConfigs: null, executor: null, ...spec },
  });
}
