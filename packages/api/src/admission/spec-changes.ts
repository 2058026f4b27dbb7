import { type AdmissionRequest, type JsonObject, type KubeObject, deepEqual, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { SPEC_CHANGED_BY_ANNOTATION } from '../constants.js';
import { OUTRIGGER_GROUP } from '../groups.js';
import type { JsonPatchOperation } from './types.js';

/**
 * Sets the annotation that names the user who last changed the spec of an AddOnRollout, for example to pause or pin it. A writer cannot set
 * the annotation to another value.
 */
export function stampSpecChange({
  kind,
  object,
  oldObject,
  operation,
  subResource,
  userInfo,
}: AdmissionRequest): readonly JsonPatchOperation[] {
  const isRollout = kind.group === OUTRIGGER_GROUP && kind.kind === 'AddOnRollout';
  if (!isRollout || !object || subResource || operation === 'DELETE') return [];
  const before = annotationsOf(oldObject)[SPEC_CHANGED_BY_ANNOTATION];
  const isChanged = !deepEqual(specOf(object), specOf(oldObject));
  const wanted = isChanged ? userInfo.username : before;
  const annotations = annotationsOf(object);
  if (object.metadata.annotations !== undefined && !isJsonObject(object.metadata.annotations)) return [];
  if (annotations[SPEC_CHANGED_BY_ANNOTATION] === wanted) return [];
  const { [SPEC_CHANGED_BY_ANNOTATION]: _, ...others } = annotations;
  const value = wanted === undefined ? others : { ...others, [SPEC_CHANGED_BY_ANNOTATION]: wanted };
  return [{ op: object.metadata.annotations === undefined ? 'add' : 'replace', path: '/metadata/annotations', value }];
}

/** Returns the spec of an object. An absent spec counts as an empty one, because neither requests anything. */
function specOf(object: KubeObject | null | undefined): unknown {
  return (object as { readonly spec?: unknown } | null | undefined)?.spec ?? {};
}

/**
 * Returns the annotations of an object that is not validated yet. Malformed annotations count as none, because the schema check rejects
 * them.
 */
function annotationsOf(object: KubeObject | null | undefined): JsonObject {
  const annotations: unknown = object?.metadata.annotations;
  return objectOrEmpty(annotations);
}
