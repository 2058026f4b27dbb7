import type { ReplicaSetCondition } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { Action, Decision, Now } from '@outrigger/kube';
import { hasFinalizer } from '../../resources/replica-sets.js';
import { STATUS, addFinalizer, deleteWork, removeFinalizer, writeStatus } from './actions.js';
import { nameProblem } from './names.js';
import { type PlacementPlan, deleteUnreferenced, planPlacements } from './plan.js';
import { type SeenWorks, nextSeen } from './soak.js';
import type { ReplicaSetState } from './state.js';
import { conditionsOf, invalidName, statusPatch } from './status.js';

/** The minimum time between two status writes. The status counts the works of many clusters, so it changes often. */
const STATUS_INTERVAL_MS = 1_000;

/** Decides one pass over a ManifestWorkReplicaSet: creates, updates and deletes its works, and writes its status. */
export function decide(state: ReplicaSetState, now: Now): Decision<SeenWorks> {
  const { set } = state;
  if (set.isDeleting) return decideDeletion(state);
  // Write the finalizer before the first work, so that deleting the set leaves no works behind.
  if (!hasFinalizer(set)) return { stages: [[addFinalizer(set)]] };
  const problem = nameProblem(
    set.key,
    state.placements.map(({ name }) => name),
  );
  if (problem !== undefined) return decideStatus(state, [invalidName(problem)], [], [], now);

  const plans = planPlacements(state, now);
  const writes = [...plans.flatMap(({ actions }) => actions), ...deleteUnreferenced(state)];
  const refusal = writes.map(({ id }) => state.outcomes.refusal(id)).find((found) => found !== undefined);
  // Do not change the status while works are being written; the next pass counts them.
  const remember = nextSeen(
    plans.flatMap(({ works }) => works),
    writes,
  );
  if (writes.length > 0 && !refusal) return { stages: [writes], ...recheck(plans, now), remember };
  return { ...decideStatus(state, conditionsOf(plans, refusal), plans, writes, now), remember };
}

function decideStatus(
  state: ReplicaSetState,
  conditions: readonly ReplicaSetCondition[],
  plans: readonly PlacementPlan[],
  writes: readonly Action[],
  now: Now,
): Decision<SeenWorks> {
  const patch = statusPatch(state, conditions, plans, now);
  const isChanged = Object.keys(patch).length > 0;
  const waitMs = (state.outcomes.acceptedAt(STATUS) ?? Number.NEGATIVE_INFINITY) + STATUS_INTERVAL_MS - now.monotonic;
  const status = isChanged && waitMs <= 0 ? [writeStatus(state.set, patch)] : [];
  const stage = [...writes, ...status];
  return {
    stages: stage.length === 0 ? [] : [stage],
    ...(isChanged && waitMs > 0 ? { requeueAfterMs: waitMs } : recheck(plans, now)),
  };
}

/** Deletes all works. With the policy Foreground the finalizer stays until the works are deleted. */
function decideDeletion({ set, works }: ReplicaSetState): Decision<SeenWorks> {
  if (!hasFinalizer(set)) return { stages: [] };
  const deletions = works.filter(({ isDeleting }) => !isDeleting).map(deleteWork);
  const release = set.waitsForWorks && works.length > 0 ? [] : [removeFinalizer(set)];
  return { stages: [deletions, release].filter((stage) => stage.length > 0) };
}

function recheck(plans: readonly PlacementPlan[], now: Now): { readonly requeueAfterMs?: number } {
  const recheckAt = earliest(...plans.map((plan) => plan.recheckAt));
  return recheckAt === undefined ? {} : { requeueAfterMs: Math.max(1, recheckAt - now.wall) };
}
