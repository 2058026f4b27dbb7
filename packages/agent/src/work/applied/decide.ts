import { APPLIED_MANIFEST_WORK_FINALIZER, type AppliedResource, appliedManifestWorks } from '@outrigger/api';
import type { ApiAction, Decision, EffectAction, Now, SeenTime } from '@outrigger/kube';
import { patchObserved, patchObservedStatus } from '../../observed-actions.js';
import { CLUSTER } from '../../resources/apis.js';
import type { AppliedWorkProjection } from '../../resources/applied-works.js';
import { type AppliedWorkEffects, deleteAppliedWork, type TrackInput } from '../actions.js';
import { patchAppliedResources, sorted } from '../ownership/applied-resources.js';
import { releaseOf, releases } from '../ownership/release.js';
import { appliedWorkOwner } from '../refs.js';
import type { Leftover } from '../state.js';

/** Everything that one pass over an AppliedManifestWork observes. */
export interface AppliedWorkState {
  readonly name: string;
  /** The applied work; undefined if it was deleted but its objects are still watched. */
  readonly appliedWork: AppliedWorkProjection | undefined;
  /** Whether the work exists on this agent's hub. */
  readonly isManaged: boolean;
  readonly graceMs: number;
  /** The time since `evictionStartTime`; undefined if it is not set. */
  readonly missingForMs: number | undefined;
  /** The objects that the applied work lists; only set while it is being deleted. */
  readonly leftovers: readonly Leftover[];
}

type AppliedWorkDecision = Decision<SeenTime, AppliedWorkEffects>;

/**
 * Removes the objects that a deleted applied work lists, and deletes applied works whose work has been missing for longer than the grace
 * period.
 */
export function decide({ name, appliedWork, ...state }: AppliedWorkState, now: Now): AppliedWorkDecision {
  if (!appliedWork) return { stages: [[track(name, [])]] };
  return appliedWork.isDeleting ? cleanUp(appliedWork, state.leftovers) : evict(appliedWork, state, now);
}

/** Removes each object from the list once it is gone from the cluster, and the finalizer once the list is empty. */
function cleanUp(appliedWork: AppliedWorkProjection, leftovers: readonly Leftover[]): AppliedWorkDecision {
  if (!appliedWork.finalizers.includes(APPLIED_MANIFEST_WORK_FINALIZER)) return { stages: [] };
  if (leftovers.some(({ isTracked }) => !isTracked)) return { stages: [[track(appliedWork.key.name, appliedWork.resources)]] };
  const isLeft = leftovers.map((leftover) => releaseOf(leftover, appliedWork.uid).type !== 'forget');
  const left = appliedWork.resources.filter((_, index) => isLeft[index]);
  if (left.length === 0) return { stages: [[releaseAppliedWork(appliedWork)]] };
  const listing = patchAppliedResources(appliedWork, sorted(left));
  const released = releases(leftovers, appliedWork);
  return { stages: [...(listing ? [[listing]] : []), ...(released.length > 0 ? [released] : [])] };
}

/**
 * Deletes the applied work once its work has been missing for the grace period. Until then no object is removed, because the work may
 * reappear if the hub is restored or the agent is moved.
 */
function evict(
  appliedWork: AppliedWorkProjection,
  { isManaged, graceMs, missingForMs }: Omit<AppliedWorkState, 'name' | 'appliedWork'>,
  now: Now,
): AppliedWorkDecision {
  if (isManaged || graceMs >= NEVER_MS) {
    return appliedWork.evictionStartTime === undefined ? { stages: [] } : { stages: [[stamp(appliedWork, null)]] };
  }
  if (missingForMs === undefined) return { stages: [[stamp(appliedWork, now.time)]], requeueAfterMs: graceMs };
  const leftMs = graceMs - missingForMs;
  return leftMs <= 0 ? { stages: [[deleteAppliedWork(appliedWork)]] } : { stages: [], requeueAfterMs: leftMs };
}

/** A grace period of a hundred years or more means "never". */
export const NEVER_MS: number = 100 * 365 * 24 * 3_600_000;

function stamp(appliedWork: AppliedWorkProjection, evictionStartTime: string | null): ApiAction {
  return patchObservedStatus(appliedWork, CLUSTER, appliedManifestWorks, 'eviction', { evictionStartTime });
}

function releaseAppliedWork(appliedWork: AppliedWorkProjection): ApiAction {
  const finalizers = appliedWork.finalizers.filter((finalizer) => finalizer !== APPLIED_MANIFEST_WORK_FINALIZER);
  const patch = { metadata: { finalizers } };
  return { ...patchObserved(appliedWork, CLUSTER, appliedManifestWorks, 'applied-finalizer', patch), accept: ['NotFound'] };
}

function track(name: string, resources: readonly AppliedResource[]): EffectAction<AppliedWorkEffects> {
  const input: TrackInput = { owner: appliedWorkOwner(name), manifests: [], resources };
  return { type: 'effect', effect: 'track', id: 'track', input };
}
