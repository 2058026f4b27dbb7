import { managedClusterAddOns } from '@outrigger/api';
import { type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { AddOnProjection } from '../observed/add-ons.js';

/** The owner of all objects that the manager creates for one add-on on one cluster. */
export function addOnOwner({ key, uid }: Pick<AddOnProjection, 'key' | 'uid'>): OwnerReference {
  return {
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    name: key.name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
