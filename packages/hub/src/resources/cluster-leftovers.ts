import { CLEANUP_PRIORITY_ANNOTATION, type ManagedClusterAddOn, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type ConditionStatus, type KubeObject, conditionStatus, type Intern, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/** An object in a cluster's namespace that is deleted with the cluster. */
export interface ClusterLeftoverProjection extends Projected {
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
  /** The cleanup priority, 0 to 100. Objects with a lower priority are deleted first. */
  readonly priority: number;
}

export interface LeftoverAddOnProjection extends ClusterLeftoverProjection {
  readonly available: ConditionStatus | undefined;
}

const index = { cluster: ({ key }: Projected) => [key.namespace ?? ''] };

export const clusterAddOns: Resource<LeftoverAddOnProjection, 'cluster'> = {
  name: 'cluster-add-ons',
  api: HUB,
  kind: managedClusterAddOns,
  project(object, intern) {
    const { status } = object as ManagedClusterAddOn;
    return { available: conditionStatus(status?.conditions, 'Available'), ...leftoverOf(object, intern) };
  },
  indexes: index,
};

/** Reads only the metadata of works, because the cache contains all works on the hub and manifests are most of their data. */
export const clusterWorks: Resource<ClusterLeftoverProjection, 'cluster'> = {
  name: 'cluster-works',
  api: HUB,
  kind: manifestWorks,
  metadataOnly: true,
  project: leftoverOf,
  indexes: index,
};

export function leftoverOf(object: KubeObject, intern: Intern): ClusterLeftoverProjection {
  const { annotations = {}, finalizers = [] } = object.metadata;
  return {
    isDeleting: isDeleting(object),
    finalizers: intern(finalizers),
    priority: readPriority(annotations[CLEANUP_PRIORITY_ANNOTATION]),
    ...base(object, intern),
  };
}

function readPriority(text: string | undefined): number {
  const value = text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return value <= 100 ? value : 0;
}
