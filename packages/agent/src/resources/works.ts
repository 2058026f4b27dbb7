import { type ManifestWork, type ManifestWorkSpec, type ManifestWorkStatus, RENDER_INPUTS_ANNOTATION, manifestWorks } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './apis.js';

/** A complete ManifestWork of this cluster. It is kept as a whole, because an agent has few works and applies their content. */
export interface WorkProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: ManifestWorkSpec;
  readonly status: ManifestWorkStatus;
  /** Whether an Outrigger manager rendered the work. Such a manager reads more feedback than the feedback rules of a work can request. */
  readonly isRendered: boolean;
}

export function works(clusterName: string): Resource<WorkProjection> {
  return {
    name: 'works',
    api: HUB,
    kind: manifestWorks,
    namespace: clusterName,
    project(object, intern) {
      const work = object as ManifestWork;
      const { metadata } = work;
      return {
        key: keyOf(work),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        generation: metadata.generation ?? 0,
        isDeleting: metadata.deletionTimestamp !== undefined,
        finalizers: metadata.finalizers ?? [],
        labels: metadata.labels ?? {},
        // The spec is the same JavaScript object as before if only the status changed, so that results computed from its manifests can be
        // reused.
        spec: intern(work.spec),
        status: work.status ?? {},
        isRendered: metadata.annotations?.[RENDER_INPUTS_ANNOTATION] !== undefined,
      };
    },
    indexes: {},
  };
}
