import { type ManagedClusterAddOn, addOnToV1beta1, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../resources/apis.js';
import { type AddOnApiVersion, type AddOnRecord, addOnKind } from '../resources/add-ons.js';
import { type RegistrationSettings, hasKubeClient } from './specs.js';

export function statusPatch(
  { addOnApiVersion }: { readonly addOnApiVersion: AddOnApiVersion },
  addOn: AddOnRecord,
  id: string,
  status: JsonObject,
): ApiAction {
  return {
    type: 'patch',
    id: `status/${id}`,
    api: HUB,
    kind: addOnKind(addOnApiVersion),
    key: addOn.key,
    subresource: 'status',
    patch: { status },
    precondition: { uid: addOn.uid, resourceVersion: addOn.resourceVersion },
    accept: ['NotFound'],
  };
}

/** Sets the driver in the add-on's status if it is missing or differs. In v1beta1 the driver is a part of the registration. */
export function driverPatch(
  state: { readonly settings: RegistrationSettings; readonly addOnApiVersion: AddOnApiVersion },
  addOn: AddOnRecord,
): ApiAction | undefined {
  const { driver } = state.settings;
  if (!hasKubeClient(addOn) || addOn.status.kubeClientDriver === driver) return undefined;
  if (state.addOnApiVersion === 'v1alpha1') return statusPatch(state, addOn, 'driver', { kubeClientDriver: driver });
  const converted = addOnToV1beta1({
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: addOn.key,
    spec: {},
    status: { registrations: addOn.status.registrations ?? [], kubeClientDriver: driver },
  } satisfies ManagedClusterAddOn);
  return statusPatch(state, addOn, 'driver', { registrations: (converted.status?.registrations ?? []) as unknown as JsonObject[] });
}
