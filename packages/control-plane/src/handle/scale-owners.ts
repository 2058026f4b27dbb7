import type { KubeObject, ManagedFieldsEntry } from '@outrigger/core';
import { isFields } from '../registry/draft.js';

/** The entry for the number of replicas in `fieldsV1`. It is the same for a Scale and for the built-in kinds that can be scaled. */
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };
const SCALE_VERSION = 'autoscaling/v1';

/** Returns the owners of the number of replicas, as entries of the Scale's managedFields. */
export function scaleOwners({ metadata }: KubeObject): readonly ManagedFieldsEntry[] {
  return (metadata.managedFields ?? []).filter(ownsReplicas).map((entry) => ({ ...entry, apiVersion: SCALE_VERSION, fieldsV1: REPLICAS }));
}

/** Returns the field owners of an object after an apply to its Scale. `owners` own the number of replicas after that apply. */
export function objectOwners({ apiVersion, metadata }: KubeObject, owners: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const left = new Set(owners.map(identity));
  const before = metadata.managedFields ?? [];
  const kept = before.map((entry) => (ownsReplicas(entry) && !left.has(identity(entry)) ? withoutReplicas(entry) : entry));
  const known = new Set(before.filter(ownsReplicas).map(identity));
  const added = owners.filter((owner) => !known.has(identity(owner))).map((owner) => ({ ...owner, apiVersion }));
  return [...added, ...kept.filter(({ fieldsV1 }) => Object.keys(fieldsV1 ?? {}).length > 0)];
}

function identity({ manager, operation, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify([manager, operation, subresource ?? '']);
}

function ownsReplicas({ fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = (fieldsV1 ?? {})['f:spec'];
  return isFields(spec) && Object.hasOwn(spec, 'f:replicas');
}

function withoutReplicas(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const { 'f:spec': spec, ...others } = entry.fieldsV1 ?? {};
  const { 'f:replicas': _, ...rest } = isFields(spec) ? spec : {};
  return { ...entry, fieldsV1: Object.keys(rest).length > 0 ? { ...others, 'f:spec': rest } : others };
}
