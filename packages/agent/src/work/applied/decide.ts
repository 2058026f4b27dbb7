import { APPLIED_MANIFEST_WORK_FINALIZER, type AppliedResource, appliedManifestWorks } from '@outrigger/api';
import type { ApiAction, Decision, EffectAction, Now } from '@outrigger/kube';
import { CLUSTER } from '../../resources/apis.js';
import type { AppliedWorkRecord } from '../../resources/applied-works.js';
import type { SeenTime } from '../../seen-times.js';
import { type AppliedWorkEffects, deleteApplied, type TrackInput } from '../actions.js';
import { patchAppliedResources, sorted } from '../ownership/applied-resources.js';
import { releaseOf, releases } from '../ownership/release.js';
import { appliedWorkOwner } from '../refs.js';
import type { Leftover } from '../state.js';

/** Everything that one pass over an AppliedManifestWork reads. */
export interface AppliedState {
  readonly name: string;
  /** Undefined if it is gone while its objects are still watched. */
  readonly applied: AppliedWorkRecord | undefined;
  /** Its work exists on this agent's hub. */
  readonly isManaged: boolean;
  readonly graceMs: number;
  /** Since `evictionStartTime` was set; undefined while it is not. */
  readonly missingForMs: number | undefined;
  /** The objects that it lists, while it is being deleted. */
  readonly leftovers: readonly Leftover[];
}

type AppliedWorkDecision = Decision<SeenTime, AppliedWorkEffects>;

/**
 * Removes the objects that a deleted applied work lists, and deletes applied works whose work has been gone for longer than the grace
 * period.
 */
export function decide({ name, applied, ...state }: AppliedState, now: Now): AppliedWorkDecision {
  if (!applied) return { stages: [[track(name, [])]] };
  return applied.isDeleting ? cleanUp(applied, state.leftovers) : evict(applied, state, now);
}

/** Removes each object from the list once it is gone from the cluster, and the finalizer once the list is empty. */
function cleanUp(applied: AppliedWorkRecord, leftovers: readonly Leftover[]): AppliedWorkDecision {
  if (!applied.finalizers.includes(APPLIED_MANIFEST_WORK_FINALIZER)) return { stages: [] };
  if (leftovers.some(({ isTracked }) => !isTracked)) return { stages: [[track(applied.key.name, applied.applied)]] };
  const isLeft = leftovers.map((leftover) => releaseOf(leftover, applied.uid).type !== 'forget');
  const left = applied.applied.filter((_, index) => isLeft[index]);
  if (left.length === 0) return { stages: [[releaseRecord(applied)]] };
  const record = patchAppliedResources(applied, sorted(left));
  const released = releases(leftovers, applied);
  return { stages: [...(record ? [[record]] : []), ...(released.length > 0 ? [released] : [])] };
}

/**
 * A work that is missing on the hub may come back, because the hub is restored or the agent is moved. Nothing is removed before the grace
 * period is over.
 */
function evict(
  applied: AppliedWorkRecord,
  { isManaged, graceMs, missingForMs }: Omit<AppliedState, 'name' | 'applied'>,
  now: Now,
): AppliedWorkDecision {
  if (isManaged || graceMs >= NEVER_MS) {
    return applied.evictionStartTime === undefined ? { stages: [] } : { stages: [[stamp(applied, null)]] };
  }
  if (missingForMs === undefined) return { stages: [[stamp(applied, now.time)]], requeueAfterMs: graceMs };
  const leftMs = graceMs - missingForMs;
  return leftMs <= 0 ? { stages: [[deleteApplied(applied)]] } : { stages: [], requeueAfterMs: leftMs };
}

/** A grace period of a hundred years or more means "never". */
export const NEVER_MS: number = 100 * 365 * 24 * 3_600_000;

function stamp(applied: AppliedWorkRecord, evictionStartTime: string | null): ApiAction {
  return {
    type: 'patch',
    id: 'eviction',
    api: CLUSTER,
    kind: appliedManifestWorks,
    key: applied.key,
    subresource: 'status',
    patch: { status: { evictionStartTime } },
    precondition: { uid: applied.uid, resourceVersion: applied.resourceVersion },
  };
}

function releaseRecord(applied: AppliedWorkRecord): ApiAction {
  const finalizers = applied.finalizers.filter((finalizer) => finalizer !== APPLIED_MANIFEST_WORK_FINALIZER);
  return {
    type: 'patch',
    id: 'applied-finalizer',
    api: CLUSTER,
    kind: appliedManifestWorks,
    key: applied.key,
    patch: { metadata: { finalizers } },
    precondition: { uid: applied.uid, resourceVersion: applied.resourceVersion },
    accept: ['NotFound'],
  };
}

function track(name: string, resources: readonly AppliedResource[]): EffectAction<AppliedWorkEffects> {
  const input: TrackInput = { owner: appliedWorkOwner(name), manifests: [], resources };
  return { type: 'effect', effect: 'track', id: 'track', input };
}
