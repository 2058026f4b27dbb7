import type { ManifestWork } from '@outrigger/api';
import { type JsonObject, asJson } from '@outrigger/core';

/** Returns the manifests of all works, in order. */
export function manifestsOf(works: readonly ManifestWork[]): readonly JsonObject[] {
  return works.flatMap(({ spec }) => asJson(spec.workload?.manifests ?? []));
}
