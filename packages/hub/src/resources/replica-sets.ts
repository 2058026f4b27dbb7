import type { Projected } from '@outrigger/core';
import {
  type LocalPlacementReference,
  type ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetStatus,
  type ManifestWorkSpec,
  REPLICA_SET_FINALIZER,
  manifestWorkReplicaSets,
} from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { Resource } from '@outrigger/kube';
import { base, generationOf, isDeleting } from '@outrigger/rules/observed';
import { HUB } from './base.js';

/** The fields of a ManifestWorkReplicaSet that its controller, the only reader, uses. */
export interface ReplicaSetProjection extends Projected {
  readonly isDeleting: boolean;
  readonly generation: number;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly template: ManifestWorkSpec;
  /** Digest of the template. */
  readonly digest: string;
  readonly placementRefs: readonly LocalPlacementReference[];
  readonly waitsForWorks: boolean;
  readonly status: ManifestWorkReplicaSetStatus;
}

export const replicaSets: Resource<ReplicaSetProjection, 'placement'> = {
  name: 'replica-sets',
  api: HUB,
  kind: manifestWorkReplicaSets,
  project(object, intern) {
    const { metadata, spec, status = {} } = object as ManifestWorkReplicaSet;
    const { manifestWorkTemplate: template = {}, placementRefs, cascadeDeletionPolicy } = spec;
    return {
      isDeleting: isDeleting(object),
      generation: generationOf(object),
      finalizers: metadata.finalizers ?? [],
      labels: metadata.labels ?? {},
      template,
      digest: sha256Hex(canonicalJson(template)),
      placementRefs,
      waitsForWorks: cascadeDeletionPolicy === 'Foreground',
      status,
      ...base(object, intern),
    };
  },
  indexes: {
    placement: ({ key, placementRefs }) => [...new Set(placementRefs.map(({ name }) => `${key.namespace ?? ''}/${name}`))],
  },
};

export function hasFinalizer({ finalizers }: ReplicaSetProjection): boolean {
  return finalizers.includes(REPLICA_SET_FINALIZER);
}
