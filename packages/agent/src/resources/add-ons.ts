import {
  type ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  type ManagedClusterAddOnV1beta1,
  addOnToV1alpha1,
  managedClusterAddOns,
  managedClusterAddOnsV1beta1,
} from '@outrigger/api';
import { type Kind, type KubeObject, keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './apis.js';

/** The versions of the add-on API that an agent can use. Hubs store v1alpha1. */
export type AddOnApiVersion = 'v1alpha1' | 'v1beta1';

/** A ManagedClusterAddOn of this cluster, converted to v1alpha1 from whichever version the hub serves. */
export interface ClusterAddOnProjection extends Projected {
  readonly generation: number;
  readonly createdAt: string | undefined;
  readonly isDeleting: boolean;
  readonly installNamespace: string | undefined;
  readonly status: ManagedClusterAddOnStatus;
}

export function addOnKind(version: AddOnApiVersion): Kind {
  return version === 'v1alpha1' ? managedClusterAddOns : managedClusterAddOnsV1beta1;
}

export function clusterAddOns(clusterName: string, version: AddOnApiVersion): Resource<ClusterAddOnProjection> {
  return {
    name: 'add-ons',
    api: HUB,
    kind: addOnKind(version),
    namespace: clusterName,
    project(object) {
      const { metadata, spec, status } = toV1alpha1(object, version);
      return {
        key: keyOf(object),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        generation: metadata.generation ?? 0,
        createdAt: metadata.creationTimestamp,
        isDeleting: metadata.deletionTimestamp !== undefined,
        installNamespace: spec.installNamespace,
        status: status ?? {},
      };
    },
    indexes: {},
  };
}

function toV1alpha1(object: KubeObject, version: AddOnApiVersion): ManagedClusterAddOn {
  return version === 'v1alpha1' ? (object as ManagedClusterAddOn) : addOnToV1alpha1(object as ManagedClusterAddOnV1beta1);
}
