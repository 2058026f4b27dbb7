import type { KubeObject } from '@outrigger/core';
import { mergeOwners } from '../ownership/owners.js';
import { newObject, stepOwners } from './create-only.js';
import { fingerprint } from './fingerprint.js';
import { isFrozenAtCreation, isTokenSecret, overlay, withKeptFields } from './kept-fields.js';
import { matches } from './matches.js';
import { mergeTexts } from './metadata.js';
import { SETTLED, type Situation, type Step } from './situation.js';

/** Replaces whatever differs. One path for every kind: what a manifest says is written, also fields this program has never heard of. */
export function stepUpdate(situation: Situation): Step {
  const { manifest, live } = situation;
  if (live.state === 'absent') return { type: 'write', write: { type: 'create', object: newObject(situation) } };
  if (isSettled(situation)) return stepOwners(situation) ?? SETTLED;
  const object = replacement(situation, live.object);
  const uid = live.object.metadata.uid ?? '';
  if (mustRecreate(manifest, live.object)) return { type: 'write', write: { type: 'recreate', object: newObject(situation), uid } };
  return { type: 'write', write: { type: 'replace', object } };
}

function isSettled({ manifest, live, isWritten, after }: Situation): boolean {
  if (live.state === 'absent') return false;
  if (after !== undefined && after === fingerprint({ type: 'Update' }, live.object)) return true;
  return (isWritten || isFrozenAtCreation(manifest)) && matches(withKeptFields(manifest, live.object), live.object);
}

/** The object to write over a live one: the manifest's content, with labels, annotations and owners merged into what is there. */
export function replacement({ manifest, owner, isOwned }: Situation, live: KubeObject): KubeObject {
  const { metadata } = manifest;
  const content = isFrozenAtCreation(manifest) || isTokenSecret(live) ? overlay(manifest, live) : withKeptFields(manifest, live);
  const owners = mergeOwners(live.metadata.ownerReferences ?? [], { manifest: metadata.ownerReferences ?? [], ours: owner, isOwned });
  const { managedFields: _, ...kept } = live.metadata;
  return {
    ...content,
    metadata: {
      ...kept,
      labels: mergeTexts(metadata.labels, live.metadata.labels),
      annotations: mergeTexts(metadata.annotations, live.metadata.annotations),
      ownerReferences: owners,
    },
  };
}

interface SecretFields {
  readonly type?: string;
  readonly immutable?: boolean;
}

/** The type of a Secret, and everything in an immutable one, cannot be changed. */
function mustRecreate(manifest: KubeObject, live: KubeObject): boolean {
  if (manifest.apiVersion !== 'v1' || manifest.kind !== 'Secret') return false;
  const wanted = manifest as SecretFields;
  const actual = live as SecretFields;
  const typeChanges = (wanted.type ?? 'Opaque') !== (actual.type ?? 'Opaque');
  return typeChanges || (actual.immutable === true && !matches(manifest, live));
}
