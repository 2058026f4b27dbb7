import { type OwnerReference, assertNever } from '@outrigger/core';
import { type EffectAction, type ObjectRef, objectId } from '@outrigger/kube';
import type { AppliedWorkProjection } from '../../resources/applied-works.js';
import type { Leftover } from '../state.js';
import { isAppliedWork, isOwnedBy } from './owners.js';

/** The way in which the agent releases an object that a work no longer names. */
export type Release =
  /** Drop the object from the list, because it was deleted, is not owned by the work, or was recreated. */
  | { readonly type: 'forget' }
  /** Wait, because the object has not been read, is being deleted, or may still be created by an earlier request. */
  | { readonly type: 'wait' }
  | { readonly type: 'delete'; readonly uid: string; readonly resourceVersion: string }
  /** Remove only this work's reference, because other works own the object too, or because the object stays on the cluster. */
  | {
      readonly type: 'disown';
      readonly references: readonly OwnerReference[];
      readonly uid: string;
      readonly resourceVersion: string;
    };

export function releaseOf({ uid: recorded, live, isOrphan }: Pick<Leftover, 'uid' | 'live' | 'isOrphan'>, ownerUid: string): Release {
  if (live.state === 'absent') return { type: live.mayCome && recorded === '' ? 'wait' : 'forget' };
  if (live.state !== 'present') return { type: 'wait' };
  const { uid = '', resourceVersion = '', ownerReferences = [], deletionTimestamp } = live.object.metadata;
  if (!isOwnedBy(ownerReferences, ownerUid)) return { type: 'forget' };
  const others = ownerReferences.filter((reference) => reference.uid !== ownerUid);
  if (isOrphan || others.some(isAppliedWork)) return { type: 'disown', references: others, uid, resourceVersion };
  if (recorded !== '' && recorded !== uid) return { type: 'forget' };
  if (deletionTimestamp !== undefined) return { type: 'wait' };
  return { type: 'delete', uid, resourceVersion };
}

/** The input of the effect that releases one object. */
export interface ReleaseInput {
  /** The name of the applied work. */
  readonly appliedWork: string;
  readonly work: string;
  readonly ref: ObjectRef;
  readonly release: Extract<Release, { readonly type: 'delete' | 'disown' }>;
}

type ReleaseEffect = EffectAction<{ readonly release: ReleaseInput }>;

/** Returns the effects that release these objects. Releases of the types `forget` and `wait` need no effect. */
export function releases(leftovers: readonly Leftover[], { key, uid, workName }: AppliedWorkProjection): ReleaseEffect[] {
  return leftovers.flatMap((leftover): ReleaseEffect[] => {
    const release = releaseOf(leftover, uid);
    switch (release.type) {
      case 'forget':
      case 'wait':
        return [];
      case 'delete':
      case 'disown': {
        const input: ReleaseInput = { appliedWork: key.name, work: workName, ref: leftover.ref, release };
        return [{ type: 'effect', effect: 'release', id: `release/${objectId(leftover.ref)}`, input }];
      }
      default:
        return assertNever(release);
    }
  });
}
