import { type ManagedClusterAddOn, addOnToV1beta1, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, asJson, apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { patchObservedStatus } from '../observed-actions.js';
import { HUB } from '../resources/apis.js';
import { type AddOnApiVersion, type ClusterAddOnProjection, addOnKind } from '../resources/add-ons.js';
import { type RegistrationSettings, hasKubeClient } from './specs.js';

export function statusPatch(
  { addOnApiVersion }: { readonly addOnApiVersion: AddOnApiVersion },
  clusterAddOn: ClusterAddOnProjection,
  id: string,
  status: JsonObject,
): ApiAction {
  return { ...patchObservedStatus(clusterAddOn, HUB, addOnKind(addOnApiVersion), `status/${id}`, status), accept: ['NotFound'] };
}

/**
 * Returns a patch that sets the driver in the add-on's status if it is missing or differs. In v1beta1 the driver is part of the
 * registration.
 */
export function driverPatch(
  state: { readonly settings: RegistrationSettings; readonly addOnApiVersion: AddOnApiVersion },
  clusterAddOn: ClusterAddOnProjection,
): ApiAction | undefined {
  const { driver } = state.settings;
  if (!hasKubeClient(clusterAddOn) || clusterAddOn.status.kubeClientDriver === driver) return undefined;
  if (state.addOnApiVersion === 'v1alpha1') return statusPatch(state, clusterAddOn, 'driver', { kubeClientDriver: driver });
  const converted = addOnToV1beta1({
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: clusterAddOn.key,
    spec: {},
    status: { registrations: clusterAddOn.status.registrations ?? [], kubeClientDriver: driver },
  } satisfies ManagedClusterAddOn);
  return statusPatch(state, clusterAddOn, 'driver', { registrations: asJson(converted.status?.registrations ?? []) });
}
