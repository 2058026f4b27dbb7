import { isJsonObject, parseJson } from '../json.js';
import { compare } from './compare.js';
import type { FieldSet } from './field-set.js';
import { fieldSetOf } from './owned-fields.js';
import type { Versions } from './ownership.js';
import type { ApplyObject } from './values.js';

/** The annotation in which kubectl's client-side apply stores the applied object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/**
 * Returns the conflicts that remain when a user switches from `kubectl apply` to `kubectl apply --server-side`. A field that still has the
 * value of the last client-side apply belonged to that user, so it causes no conflict.
 */
export function overLastApplied(
  conflicts: ReadonlyMap<string, FieldSet>,
  live: ApplyObject,
  versions: Versions,
): ReadonlyMap<string, FieldSet> {
  const allowed = unchangedSinceLastApplied(live, versions);
  if (!allowed) return conflicts;
  return new Map([...conflicts].map(([id, fields]) => [id, fields.difference(allowed)] as const).filter(([, fields]) => !fields.isEmpty));
}

function unchangedSinceLastApplied(live: ApplyObject, versions: Versions): FieldSet | undefined {
  const text = live.metadata?.annotations?.[LAST_APPLIED];
  const type = versions.typeOf(versions.current);
  // Users may edit the annotation. If it cannot be decoded, the last apply is unknown.
  const last = text ? parseJson(text) : undefined;
  if (!type || !isJsonObject(last) || last['apiVersion'] !== versions.current) return undefined;
  const { modified, added, removed } = compare(type, last, live);
  return fieldSetOf(type, last).difference(modified).difference(added).difference(removed);
}

/** Updates the annotation, so that the user can return to client-side apply. An object without the annotation does not get one. */
export function withLastApplied<T extends ApplyObject>(object: T, applied: ApplyObject): T {
  const annotations = object.metadata?.annotations;
  if (!annotations?.[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const text = `${JSON.stringify(withoutAnnotation(applied))}\n`;
  const next = { ...others, [LAST_APPLIED]: text };
  const size = Object.entries(next).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return { ...object, metadata: { ...object.metadata, annotations: size > MAX_ANNOTATIONS_BYTES ? others : next } };
}

function withoutAnnotation(applied: ApplyObject): ApplyObject {
  const { annotations, ...metadata } = applied.metadata ?? {};
  if (!annotations) return applied;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return { ...applied, metadata: Object.keys(others).length > 0 ? { ...metadata, annotations: others } : metadata };
}
