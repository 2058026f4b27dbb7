import type { KubeObject } from '@outrigger/core';
import { mergeOwners, ownOwners } from '../ownership/owners.js';
import { addedTexts } from './metadata.js';
import { SETTLED, type Situation, type Step } from './situation.js';

/** Returns the step of a strategy that creates the object once and never changes it again, except for its owner references. */
export function stepCreateOnly(situation: Situation): Step {
  if (situation.live.state === 'absent') return { type: 'write', write: { type: 'create', object: newObject(situation) } };
  return stepOwners(situation) ?? SETTLED;
}

/** Returns the object to create for the manifest. */
export function newObject({ manifest, owner, isOwned }: Situation): KubeObject {
  const { labels, annotations, ownerReferences, ...metadata } = manifest.metadata;
  const owners = [...ownOwners(ownerReferences ?? []).filter(({ uid }) => uid !== owner.uid), ...(isOwned ? [owner] : [])];
  return {
    ...manifest,
    metadata: {
      ...metadata,
      ...(labels ? { labels: addedTexts(labels) } : {}),
      ...(annotations ? { annotations: addedTexts(annotations) } : {}),
      ...(owners.length > 0 ? { ownerReferences: owners } : {}),
    },
  } as KubeObject;
}

/** Returns the write that corrects only the owner references, or undefined if they are correct. */
export function stepOwners({ manifest, live, owner, isOwned }: Situation): Step | undefined {
  if (live.state === 'absent') return undefined;
  const { ownerReferences = [], uid = '', resourceVersion = '' } = live.object.metadata;
  const references = mergeOwners(ownerReferences, { manifest: manifest.metadata.ownerReferences ?? [], ours: owner, isOwned });
  if (references === ownerReferences) return undefined;
  return { type: 'write', write: { type: 'owners', references, uid, resourceVersion } };
}
