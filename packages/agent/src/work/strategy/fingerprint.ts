import { type UpdateStrategy, WORK_FIELD_MANAGER } from '@outrigger/api';
import { type Json, type JsonObject, type KubeObject, deepEqual, isJsonObject } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { textsUnder } from './metadata.js';

export function fieldManagerOf(strategy: UpdateStrategy): string {
  return strategy.serverSideApply?.fieldManager ?? WORK_FIELD_MANAGER;
}

/**
 * Returns a digest of what the server stored for a manifest: with server-side apply, the fields that the manager owns; otherwise, the
 * values that the object has in the fields of the manifest. If the digest equals the one after the agent's write, no other writer has
 * reverted that write. Normalization by the server or webhooks (defaults, quantities, pruned fields) and fields that other writers added do
 * not affect the digest.
 */
export function fingerprint(strategy: UpdateStrategy, object: KubeObject, manifest: KubeObject): string {
  const subject = strategy.type === 'ServerSideApply' ? appliedFields(object, fieldManagerOf(strategy)) : stored(object, manifest);
  return sha256Hex(canonicalJson(subject ?? null));
}

/** Returns the fields that a manager has applied, as in managedFields. */
export function appliedFields(object: KubeObject, manager: string): JsonObject | undefined {
  const entry = (object.metadata.managedFields ?? []).find(
    (candidate) => candidate.manager === manager && candidate.operation === 'Apply' && (candidate.subresource ?? '') === '',
  );
  return entry?.fieldsV1 as JsonObject | undefined;
}

/**
 * Whether two states of an object have the same values in the fields of the manifest, and `manager` has applied the same fields in both.
 */
export function isStoredAlike(a: KubeObject, b: KubeObject, manifest: KubeObject, manager: string): boolean {
  const isSameSet = deepEqual(appliedFields(a, manager) ?? null, appliedFields(b, manager) ?? null);
  return isSameSet && deepEqual(stored(a, manifest), stored(b, manifest));
}

/**
 * Returns the values that the object has in the fields of the manifest. Excludes the status, which is observed, and the type and name,
 * which are always equal.
 */
function stored(object: KubeObject, manifest: KubeObject): Json {
  const { metadata, apiVersion: _, kind: __, ...wanted } = manifest as unknown as Members & KubeObject;
  const { metadata: actual, ...content } = object as unknown as Members & KubeObject;
  const { status: ___, ...named } = wanted as Members;
  const labels = textsUnder(metadata.labels, actual.labels);
  return [valuesUnder(named, content), labels, textsUnder(metadata.annotations, actual.annotations)] as unknown as Json;
}

type Members = Readonly<Record<string, unknown>>;

function valuesUnder(wanted: unknown, actual: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length === actual.length) {
    const items: readonly unknown[] = actual;
    return wanted.map((item, index) => valuesUnder(item, items[index]));
  }
  if (isJsonObject(wanted) && isJsonObject(actual)) {
    const valueOf = (key: string): unknown => (Object.hasOwn(actual, key) ? actual[key] : undefined);
    return Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, valuesUnder(value, valueOf(key))]));
  }
  return actual ?? null;
}
