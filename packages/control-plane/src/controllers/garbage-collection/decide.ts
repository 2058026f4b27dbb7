import type { KubeObject, OwnerReference } from '@outrigger/core';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/**
 * The state of the object that an owner reference names. `solid`: it exists and is not in foreground deletion. `waitingForDependents`: it
 * is in foreground deletion. `unresolvable`: its kind is not served (yet), so its state is unknown. `misplaced`: the owner is namespaced
 * but the dependent is cluster-scoped, which is never valid.
 */
export type OwnerState = 'solid' | 'absent' | 'waitingForDependents' | 'unresolvable' | 'misplaced';

/** Everything that the collector observes for one object, read in one turn. */
export interface GarbageState {
  readonly object: KubeObject;
  readonly ownerState: (owner: OwnerReference) => OwnerState;
  /**
   * The storage keys of the objects that name this object as an owner. `blockingDependents` contains only those that block its foreground
   * deletion.
   */
  readonly dependents: readonly string[];
  readonly blockingDependents: readonly string[];
  readonly isDeletingForeground: (key: string) => boolean;
}

export type GarbageDecision =
  | { readonly type: 'keep' }
  /** Check the object again later, because the kind of an owner is unknown. */
  | { readonly type: 'wait' }
  | { readonly type: 'delete'; readonly propagation: 'Background' | 'Foreground' | 'Orphan'; readonly unblockFirst: boolean }
  | { readonly type: 'dropOwners'; readonly uids: readonly string[] }
  | { readonly type: 'removeFinalizer'; readonly finalizer: string }
  /** Keep the dependents of a deleted object: the collector removes their owner references, then the object's finalizer. */
  | { readonly type: 'orphanDependents'; readonly keys: readonly string[] }
  | { readonly type: 'collectDependents'; readonly keys: readonly string[] };

const KEEP: GarbageDecision = { type: 'keep' };

/**
 * Decides what to do with an object by Kubernetes' rules for garbage collection: an object is deleted if it has owners and none of them
 * exists any more.
 */
export function decideGarbage(state: GarbageState): GarbageDecision {
  if (isDeleting(state.object)) return decideDeleting(state);
  const owners = state.object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return KEEP;

  const states = owners.map((owner) => state.ownerState(owner));
  if (states.includes('misplaced')) return KEEP;
  if (states.includes('unresolvable')) return { type: 'wait' };
  if (states.includes('solid')) {
    const gone = owners.filter((_, index) => states[index] !== 'solid').map((owner) => owner.uid);
    return gone.length === 0 ? KEEP : { type: 'dropOwners', uids: gone };
  }
  if (states.includes('waitingForDependents') && state.dependents.length > 0) {
    // If two objects own each other and both are deleted in the foreground, each would wait for the other forever. Therefore the owner
    // references of the object are first changed so that they do not block the deletion of its owners.
    return { type: 'delete', propagation: 'Foreground', unblockFirst: state.dependents.some(state.isDeletingForeground) };
  }
  return { type: 'delete', propagation: standingPropagation(state.object), unblockFirst: false };
}

function decideDeleting({ object, dependents, blockingDependents, isDeletingForeground }: GarbageState): GarbageDecision {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(ORPHAN_FINALIZER)) {
    return dependents.length > 0
      ? { type: 'orphanDependents', keys: dependents }
      : { type: 'removeFinalizer', finalizer: ORPHAN_FINALIZER };
  }
  if (!finalizers.includes(FOREGROUND_FINALIZER)) return KEEP;
  if (blockingDependents.length === 0) return { type: 'removeFinalizer', finalizer: FOREGROUND_FINALIZER };
  // All dependents are deleted now, although only some block the deletion: those that block it may take long.
  const left = dependents.filter((key) => !isDeletingForeground(key));
  return left.length === 0 ? KEEP : { type: 'collectDependents', keys: left };
}

/**
 * Returns the propagation policy with which the collector deletes an object. A finalizer `orphan` or `foregroundDeletion` that the object
 * already has determines what happens to the dependents of this object.
 */
function standingPropagation(object: KubeObject): 'Background' | 'Foreground' | 'Orphan' {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Whether an object is being deleted with foreground propagation, that is, waits until its blocking dependents are deleted. */
export function isDeletingForeground(object: KubeObject | undefined): boolean {
  return object !== undefined && isDeleting(object) && (object.metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER);
}
