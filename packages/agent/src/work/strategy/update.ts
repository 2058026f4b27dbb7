import { type JsonObject, type KubeObject, isJsonObject } from '@outrigger/core';
import { mergeOwners } from '../ownership/owners.js';
import { newObject, stepOwners } from './create-only.js';
import { fingerprint } from './fingerprint.js';
import { isFrozenAtCreation, isTokenSecret, overlay, withKeptFields } from './kept-fields.js';
import { matches } from './matches.js';
import { mergeTexts } from './metadata.js';
import { SETTLED, type Situation, type Step } from './situation.js';
import { type Withdrawn, isAnythingWithdrawn, withdrawableOwners, withdrawn } from './withdrawn.js';

/**
 * Returns the step that replaces an object that differs from its manifest, whatever its kind. It writes all fields of the manifest,
 * including unknown ones, and removes fields of an earlier version of the manifest.
 */
export function stepUpdate(situation: Situation): Step {
  const { manifest, live } = situation;
  if (live.state === 'absent') return { type: 'write', write: { type: 'create', object: newObject(situation) } };
  if (isSettled(situation)) return stepOwners(situation) ?? SETTLED;
  const object = replacement(situation, live.object);
  const uid = live.object.metadata.uid ?? '';
  if (mustRecreate(manifest, live.object)) return { type: 'write', write: { type: 'recreate', object: newObject(situation), uid } };
  return { type: 'write', write: { type: 'replace', object } };
}

function isSettled(situation: Situation): boolean {
  const { manifest, live, isWritten, after } = situation;
  if (live.state === 'absent') return false;
  if (after !== undefined && after === fingerprint({ type: 'Update' }, live.object, manifest)) return true;
  const mayBeAsWanted = isWritten || (isFrozenAtCreation(manifest) && !isAnythingWithdrawn(withdrawn(situation)));
  return mayBeAsWanted && matches(withKeptFields(manifest, live.object, withdrawableOwners(situation)), live.object);
}

/**
 * Returns the object to write: the manifest's content, with labels, annotations, finalizers and owners merged into those of the live
 * object.
 */
export function replacement(situation: Situation, live: KubeObject): KubeObject {
  const { manifest, owner, isOwned, isWritten } = situation;
  const { metadata } = manifest;
  const gone = withdrawn(situation);
  const { managedFields: _, ...kept } = live.metadata;
  const owners = mergeOwners(live.metadata.ownerReferences ?? [], {
    manifest: metadata.ownerReferences ?? [],
    ours: owner,
    isOwned,
    withdrawn: gone.owners,
  });
  const finalizers = isWritten ? live.metadata.finalizers : mergeFinalizers(metadata.finalizers ?? [], live, gone.finalizers);
  return {
    ...contentOver(situation, live, gone),
    metadata: {
      ...kept,
      labels: mergeTexts(metadata.labels, live.metadata.labels, gone.labels),
      annotations: mergeTexts(metadata.annotations, live.metadata.annotations, gone.annotations),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: owners,
    },
  };
}

function contentOver(situation: Situation, live: KubeObject, { specFields }: Withdrawn): KubeObject {
  const { manifest } = situation;
  if (!isFrozenAtCreation(manifest) && !isTokenSecret(live)) return withKeptFields(manifest, live, withdrawableOwners(situation));
  const content = overlay(manifest, live) as KubeObject & { readonly spec?: unknown };
  if (specFields.size === 0 || !isJsonObject(content.spec)) return content;
  const spec: JsonObject = Object.fromEntries(Object.entries(content.spec).filter(([name]) => !specFields.has(name)));
  return { ...content, spec } as KubeObject;
}

/** Merges the finalizers. The API server accepts no new finalizer on an object that is being deleted. */
function mergeFinalizers(wanted: readonly string[], { metadata }: KubeObject, gone: ReadonlySet<string>): readonly string[] | undefined {
  const kept = metadata.finalizers?.filter((finalizer) => !gone.has(finalizer));
  const added = metadata.deletionTimestamp === undefined ? wanted.filter((finalizer) => !kept?.includes(finalizer)) : [];
  return added.length > 0 ? [...(kept ?? []), ...added] : kept;
}

interface SecretFields {
  readonly type?: string;
  readonly immutable?: boolean;
}

/** Whether the object must be recreated. The type of a Secret cannot be changed, nor can any field of an immutable Secret. */
export function mustRecreate(manifest: KubeObject, live: KubeObject): boolean {
  if (manifest.apiVersion !== 'v1' || manifest.kind !== 'Secret') return false;
  const wanted = manifest as SecretFields;
  const actual = live as SecretFields;
  const typeChanges = (wanted.type ?? 'Opaque') !== (actual.type ?? 'Opaque');
  return typeChanges || (actual.immutable === true && !matches(manifest, live));
}
