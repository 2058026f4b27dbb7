import { asJson, ApiError, type JsonObject, type Kind, type KubeObject, keyOf, keyString } from '@outrigger/core';

/**
 * Returns a patch of labels and owner references, which makes an existing object visible to the controller that tried to create the object.
 * The next pass observes the object and corrects its other fields. Throws if the object must not or need not be adopted.
 */
export function adoptionPatch(kind: Kind, existing: KubeObject, wanted: KubeObject, adopt: true | 'owned' = true): JsonObject {
  const { uid = '', resourceVersion = '', labels = {}, ownerReferences = [], deletionTimestamp } = existing.metadata;
  const name = `${kind.kind} ${keyString(keyOf(existing))}`;
  if (deletionTimestamp !== undefined) throw new ApiError('Conflict', `${name} is still being deleted`);
  const wantedOwners = wanted.metadata.ownerReferences ?? [];
  const stranger = ownerReferences.find((owner) => owner.controller && !isAmong(owner, wantedOwners));
  if (stranger) {
    const owner = `${stranger.kind} ${stranger.name}`;
    throw new ApiError('AlreadyExists', `${name} stands in the way: it belongs to ${owner}. Delete it, or have ${owner} let go of it`);
  }
  const missing = Object.entries(wanted.metadata.labels ?? {}).filter(([label, value]) => labels[label] !== value);
  if (missing.length === 0) throw new ApiError('Conflict', `${name} exists already and is not in the cache yet`);
  if (adopt === 'owned' && !ownerReferences.some((owner) => isAmong(owner, wantedOwners))) {
    const owner = wantedOwners.map((one) => `${one.kind} ${one.name}`).join(' or ');
    throw new ApiError('AlreadyExists', `${name} stands in the way: it was not created for ${owner}. Delete it`);
  }
  const owners = asJson([...ownerReferences, ...wantedOwners.filter((owner) => !isAmong(owner, ownerReferences))]);
  return { metadata: { uid, resourceVersion, labels: Object.fromEntries(missing), ownerReferences: owners } };
}

function isAmong({ uid }: { readonly uid: string }, owners: readonly { readonly uid: string }[]): boolean {
  return owners.some((owner) => owner.uid === uid);
}
