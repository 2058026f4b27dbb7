import { type ManagedClusterAddOn, type ManagedClusterAddOnSpec, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, type ObjectKey, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The fields of an add-on that a user may override on one cluster. */
export type PinnedField = 'installVersion' | 'configs' | 'installNamespace';

/**
 * The field manager of each field. If the fields shared one field manager, an apply of one field would remove the other overrides, because
 * a server-side apply removes the fields of its manager that it omits.
 */
export const PIN_MANAGERS: Readonly<Record<PinnedField, string>> = {
  installVersion: 'outrigger-pin-version',
  configs: 'outrigger-pin-configs',
  installNamespace: 'outrigger-pin-namespace',
};

/**
 * Makes the field an override, even if the installer has already set the same value. A plain patch with an equal value would change
 * nothing, so the field would still follow the fleet. The uid prevents the apply from creating an add-on that was deleted meanwhile.
 */
export async function pinField<F extends PinnedField>(
  hub: Client,
  clusterAddOn: ManagedClusterAddOn,
  field: F,
  value: NonNullable<ManagedClusterAddOnSpec[F]>,
): Promise<void> {
  const { apiVersion, kind, metadata } = clusterAddOn;
  const { name = '', namespace = '', uid = '' } = metadata;
  const pin = { apiVersion, kind, metadata: { name, namespace, uid }, spec: { [field]: value } } as ManagedClusterAddOn;
  await hub.apply(managedClusterAddOns, pin, { fieldManager: PIN_MANAGERS[field], force: true });
}

/**
 * Removes the field for every field manager, so that no override from an earlier release or from `kubectl` remains. The installer then sets
 * it again.
 */
export async function unpinField(hub: Client, clusterAddOn: ManagedClusterAddOn, field: PinnedField): Promise<void> {
  const key: ObjectKey = keyOf(clusterAddOn);
  const patch: JsonObject = { metadata: { uid: clusterAddOn.metadata.uid ?? '' }, spec: { [field]: null } };
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch });
}
