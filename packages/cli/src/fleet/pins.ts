import { type ManagedClusterAddOn, type ManagedClusterAddOnSpec, managedClusterAddOns } from '@outrigger/api';
import { type JsonObject, type ObjectKey, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** The fields of an add-on on one cluster that a person may set against the fleet. */
export type PinnedField = 'installVersion' | 'configs' | 'installNamespace';

/** One field manager per field: an apply gives up what it leaves out, so that pinning one field must not give up another. */
export const PIN_MANAGERS: Readonly<Record<PinnedField, string>> = {
  installVersion: 'outrigger-pin-version',
  configs: 'outrigger-pin-configs',
  installNamespace: 'outrigger-pin-namespace',
};

/**
 * Makes the field the person's, also where the fleet has set the same value: a plain patch with an equal value changes nothing, and
 * the field would go on following the fleet. The uid keeps the apply from creating an add-on that was deleted meanwhile.
 */
export async function pinField<F extends PinnedField>(
  hub: Client,
  addOn: ManagedClusterAddOn,
  field: F,
  value: NonNullable<ManagedClusterAddOnSpec[F]>,
): Promise<void> {
  const { apiVersion, kind, metadata } = addOn;
  const { name = '', namespace = '', uid = '' } = metadata;
  const pin = { apiVersion, kind, metadata: { name, namespace, uid }, spec: { [field]: value } } as ManagedClusterAddOn;
  await hub.apply(managedClusterAddOns, pin, { fieldManager: PIN_MANAGERS[field], force: true });
}

/** Removes the field for every manager that owns it, so that nothing an earlier release or `kubectl` left holds it; the fleet sets it again. */
export async function unpinField(hub: Client, addOn: ManagedClusterAddOn, field: PinnedField): Promise<void> {
  const key: ObjectKey = keyOf(addOn);
  const patch: JsonObject = { metadata: { uid: addOn.metadata.uid ?? '' }, spec: { [field]: null } };
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch });
}
