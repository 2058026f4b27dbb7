import { managedClusterAddOns, managedClusterAddOnsV1beta1 } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import type { AddOnApiVersion } from '../resources/add-ons.js';

/**
 * Returns the version of the add-on API to use: v1alpha1, which hubs store, if the hub serves it or serves no version, and otherwise
 * v1beta1.
 */
export async function servedAddOnVersion(hub: Client): Promise<AddOnApiVersion> {
  if (await hub.discovery.serves(managedClusterAddOns)) return 'v1alpha1';
  return (await hub.discovery.serves(managedClusterAddOnsV1beta1)) ? 'v1beta1' : 'v1alpha1';
}
