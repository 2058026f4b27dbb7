import { type ManagedClusterAddOn, type ManagedClusterAddOnSpec, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, type ObjectKey, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The fields of an add-on that a user may override on one cluster. */
export type PinnedField = 'installVersion' | 'configs' | 'installNamespace';

/**
 * One field manager per field: a server-side apply loses ownership of fields that it leaves out, so a shared manager would lose the other
 * overrides.
 */
export const PIN_MANAGERS: Readonly<Record<PinnedField, string>> = {
  installVersion: 'outrigger-pin-version',
  configs: 'outrigger-pin-configs',
  installNamespace: 'outrigger-pin-namespace',
};

/**
 * Makes the field an override, even if the installer has set the same value: a plain patch with an equal value would change nothing, and
 * the field would continue to follow the fleet. The uid prevents the apply from creating an add-on that was deleted in the meantime.
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
 * Removes the field for every field manager, so that no override of an earlier release or of `kubectl` remains; the installer then sets it
 * again.
 */
export async function unpinField(hub: Client, clusterAddOn: ManagedClusterAddOn, field: PinnedField): Promise<void> {
  const key: ObjectKey = keyOf(clusterAddOn);
  const patch: JsonObject = { metadata: { uid: clusterAddOn.metadata.uid ?? '' }, spec: { [field]: null } };
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch });
}
