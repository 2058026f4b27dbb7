import { type AppliedManifestWork, type AppliedResource, COPIED_LABELS_ANNOTATION, appliedManifestWorks } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** The AppliedManifestWork of a work. It owns the objects that the work created on the cluster, and lists them. */
export interface AppliedWorkProjection extends Projected {
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** The keys of the labels that were copied from the work. */
  readonly copiedLabels: readonly string[];
  readonly workName: string;
  readonly hubHash: string;
  readonly agentId: string;
  readonly resources: readonly AppliedResource[];
  /** The time since which the work has been missing from the hub. */
  readonly evictionStartTime: string | undefined;
}

export const appliedWorks: Resource<AppliedWorkProjection> = {
  name: 'applied-works',
  api: CLUSTER,
  kind: appliedManifestWorks,
  project(object) {
    const appliedWork = object as AppliedManifestWork;
    const { metadata } = appliedWork;
    return {
      key: keyOf(appliedWork),
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      isDeleting: metadata.deletionTimestamp !== undefined,
      finalizers: metadata.finalizers ?? [],
      labels: metadata.labels ?? {},
      copiedLabels: (metadata.annotations?.[COPIED_LABELS_ANNOTATION] ?? '').split(',').filter((label) => label !== ''),
      workName: appliedWork.spec?.manifestWorkName ?? '',
      hubHash: appliedWork.spec?.hubHash ?? '',
      agentId: appliedWork.spec?.agentID ?? '',
      resources: appliedWork.status?.appliedResources ?? [],
      evictionStartTime: appliedWork.status?.evictionStartTime,
    };
  },
  indexes: {},
};
