import { appliedManifestWorks } from '@outrigger/api';
import { type OwnerReference, apiVersionOf } from '@outrigger/core';

/**
 * Returns the owner reference that makes the applied work an owner of an object. It is not a controller reference, because several works
 * may own one object.
 */
export function ownerReference(appliedWork: { readonly name: string; readonly uid: string }): OwnerReference {
  return { apiVersion: apiVersionOf(appliedManifestWorks), kind: appliedManifestWorks.kind, name: appliedWork.name, uid: appliedWork.uid };
}

export function isOwnedBy(references: readonly OwnerReference[] | undefined, uid: string): boolean {
  return (references ?? []).some((reference) => reference.uid === uid);
}

export function isAppliedWork({ apiVersion, kind }: OwnerReference): boolean {
  return kind === appliedManifestWorks.kind && apiVersion.startsWith(`${appliedManifestWorks.group}/`);
}

export interface WantedOwners {
  /** The manifest's own references. A reference whose uid ends in `-` removes the owner with the uid before the `-`. */
  readonly manifest: readonly OwnerReference[];
  readonly ours: OwnerReference;
  readonly isOwned: boolean;
  /** The uids that an earlier version of the manifest named and the current version does not. */
  readonly withdrawn?: ReadonlySet<string>;
}

/** Returns the owners that an object should have, computed from its current owners. Returns `live` itself if they are already correct. */
export function mergeOwners(live: readonly OwnerReference[], wanted: WantedOwners): readonly OwnerReference[] {
  const { manifest, ours, isOwned } = wanted;
  const removed = new Set([...manifest.flatMap(({ uid }) => (isRemoval(uid) ? [uid.slice(0, -1)] : [])), ...(wanted.withdrawn ?? [])]);
  if (!isOwned) removed.add(ours.uid);
  const added = [...ownOwners(manifest), ...(isOwned ? [ours] : [])].filter(
    ({ uid }) => !isOwnedBy(live, uid) && !(removed.has(uid) && uid !== ours.uid),
  );
  if (added.length === 0 && !live.some(({ uid }) => removed.has(uid))) return live;
  return [...live.filter(({ uid }) => !removed.has(uid)), ...added];
}

/** Returns the owners that a manifest adds. References without a uid are omitted. */
export function ownOwners(manifest: readonly OwnerReference[]): readonly OwnerReference[] {
  return manifest.filter(({ uid }) => uid !== undefined && uid !== '' && !isRemoval(uid));
}

function isRemoval(uid: string | undefined): uid is string {
  return uid?.endsWith('-') ?? false;
}
