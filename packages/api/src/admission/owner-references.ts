/**
 * Returns a CEL expression that is true if an update leaves the owners of the object as they are. The garbage collector deletes an object
 * whose owners do not exist, so a user who may change the owners can have the object deleted.
 */
export function keepsOwners(): string {
  const ownersOf = (object: string): string => `(has(${object}.metadata.ownerReferences) ? ${object}.metadata.ownerReferences : [])`;
  return `${ownersOf('object')} == ${ownersOf('oldObject')}`;
}
