import { managedClusterAddOns, managedClusterAddOnsV1beta1 } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import type { AddOnApiVersion } from '../resources/add-ons.js';

/** The stored version where the hub serves it; the newer one where it serves only that. */
export async function servedAddOnVersion(hub: Client): Promise<AddOnApiVersion> {
  if (await hub.discovery.serves(managedClusterAddOns)) return 'v1alpha1';
  return (await hub.discovery.serves(managedClusterAddOnsV1beta1)) ? 'v1beta1' : 'v1alpha1';
}
