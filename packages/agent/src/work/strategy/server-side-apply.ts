import { CONFIG_SPEC_HASH_ANNOTATION, type ServerSideApplySettings, WORK_FIELD_MANAGER } from '@outrigger/api';
import { type KubeObject, type OwnerReference, deepEqual, errorMessage } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { isAppliedWork, ownOwners } from '../ownership/owners.js';
import { stepOwners } from './create-only.js';
import { isApplied } from './applied-fields.js';
import { appliedFields, fingerprint } from './fingerprint.js';
import type { FieldPath } from './field-path.js';
import { ignoredPaths, withOwnedValues, withoutPaths } from './ignore-fields.js';
import { addedTexts } from './metadata.js';
import { SETTLED, type Situation, type Step } from './situation.js';

/** Returns the step that applies exactly the fields of the manifest and shares the object with other managers. */
export function stepServerSideApply(settings: ServerSideApplySettings, situation: Situation): Step {
  const fieldManager = settings.fieldManager ?? WORK_FIELD_MANAGER;
  const apply = (object: KubeObject): Step => ({
    type: 'write',
    write: { type: 'apply', object: withOwners(object, situation), fieldManager, force: settings.force ?? false },
  });
  if ((settings.ignoreFields ?? []).length === 0) {
    if (isSettled(situation, fieldManager)) return stepOwners(situation) ?? SETTLED;
    return apply(situation.manifest);
  }
  return stepIgnoring(settings, situation, apply);
}

function isSettled({ manifest, live, isWritten, after }: Situation, manager: string): boolean {
  if (live.state === 'absent') return false;
  const { object } = live;
  const isUntouched =
    after !== undefined && after === fingerprint({ type: 'ServerSideApply', serverSideApply: { fieldManager: manager } }, object, manifest);
  const fields = appliedFields(object, manager);
  return isUntouched || (isWritten && fields !== undefined && isApplied(manifest, object, fields));
}

/**
 * Returns the step for a manifest with ignored fields. An annotation of the object contains a digest of the manifest without them; while
 * that digest stays the same, the agent does not change the object, even if the object's fields change. A new object gets all fields,
 * including the ignored ones.
 */
function stepIgnoring(settings: ServerSideApplySettings, situation: Situation, apply: (object: KubeObject) => Step): Step {
  const { manifest, live } = situation;
  let ignored: readonly FieldPath[];
  try {
    ignored = ignoredPaths(settings.ignoreFields ?? []);
  } catch (error) {
    return { type: 'failed', reason: 'AppliedManifestSSAIgnoreFieldError', message: errorMessage(error) };
  }
  const reduced = withoutPaths(manifest, ignored);
  const digest = sha256Hex(canonicalJson(reduced));
  if (live.state === 'absent') return apply(withDigest(manifest, digest));
  if (live.object.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION] === digest) return stepOwners(situation) ?? SETTLED;
  const owned = appliedFields(live.object, settings.fieldManager ?? WORK_FIELD_MANAGER);
  const kept = withOwnedValues(manifest, live.object, owned, ignored);
  return apply(withDigest(deepEqual(kept, reduced) ? reduced : atRevision(kept, live.object), digest));
}

/** Adds the resource version that was read, because values copied from the live object are valid only for that version. */
function atRevision(object: KubeObject, { metadata: { resourceVersion } }: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function withDigest(object: KubeObject, digest: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [CONFIG_SPEC_HASH_ANNOTATION]: digest };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/**
 * Adds the owner references, which are applied fields. Other works that own the object use the same field manager, so omitting their
 * references would remove them.
 */
function withOwners(object: KubeObject, { live, owner, isOwned }: Situation): KubeObject {
  const others = live.state === 'present' ? (live.object.metadata.ownerReferences ?? []).filter(isAppliedWork) : [];
  const { ownerReferences: own, labels, annotations, ...metadata } = object.metadata;
  const references = uniqueByUid([...ownOwners(own ?? []), ...others, owner]).filter(({ uid }) => isOwned || uid !== owner.uid);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labels ? { labels: addedTexts(labels) } : {}),
      ...(annotations ? { annotations: addedTexts(annotations) } : {}),
      ...(references.length > 0 ? { ownerReferences: references } : {}),
    },
  } as KubeObject;
}

function uniqueByUid(references: readonly OwnerReference[]): readonly OwnerReference[] {
  return [...new Map(references.map((reference) => [reference.uid, reference])).values()];
}
