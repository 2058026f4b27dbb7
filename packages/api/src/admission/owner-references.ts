/**
 * Returns a CEL expression that is true if an update leaves the owners of the object as they are. The garbage collector deletes an object
 * whose owners do not exist, so a user who may change the owners can have the object deleted.
 */
export function keepsOwners(): string {
  const ownersOf = (object: string): string => `(has(${object}.metadata.ownerReferences) ? ${object}.metadata.ownerReferences : [])`;
  return `${ownersOf('object')} == ${ownersOf('oldObject')}`;
}

/**
 * Returns a CEL expression that is true if an update neither adds an owner nor changes the identity of one. An update may remove owners and
 * clear `blockOwnerDeletion`, because the garbage collector does both: it removes an owner that does not exist or whose deletion orphans
 * its dependents.
 */
export function addsNoOwner(): string {
  const isSame = ['uid', 'apiVersion', 'kind', 'name'].map((field) => `old.${field} == owner.${field}`).join(' && ');
  return `!has(object.metadata.ownerReferences) || object.metadata.ownerReferences.all(owner, has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(old, ${isSame}))`;
}
