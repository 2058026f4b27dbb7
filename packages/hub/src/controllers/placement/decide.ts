import { type PlacementCondition, type PlacementStatus, placements } from '@outrigger/api';
import { type Condition, type JsonObject, createMergePatch, findCondition, setCondition } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import {
  type ClusterExpressions,
  type ClusterGroup,
  failedCondition,
  groupStatuses,
  type Misconfiguration,
  misconfiguredCondition,
  type Page,
  pagesOf,
  satisfiedCondition,
  type Schedule,
  schedule,
} from '@outrigger/rules/scheduling';
import { pageActionId, writeStatus } from './actions.js';
import { eventsOf } from './events.js';
import { planPages } from './page-plan.js';
import type { PlacementState } from './state.js';

/** Decides one pass over a Placement: selects clusters and plans the writes of its PlacementDecisions. */
export function decide(state: PlacementState, now: Now, expressions: ClusterExpressions): Decision {
  const { placement } = state;
  if (placement.isDeleting || placement.isDisabled) return { stages: [] };
  const selected = new Set(state.pages.flatMap(({ clusters }) => clusters));
  const result = schedule({ ...state, spec: placement.spec, selected }, expressions, now.wall);
  if ('misconfigured' in result) return decideMisconfigured(state, result.misconfigured, now);

  const wanted = pagesOf(placement.key.name, result.groups);
  const plan = planPages(state, wanted);
  // Write the number of clusters only after the PlacementDecisions name all of them, so that a reader can detect an incomplete list.
  const status = plan.isSettled ? settledStatus(state, result, wanted, now) : refusedStatus(state, plan.stages, now);
  const [first = [], ...later] = plan.stages;
  return {
    stages: [[...first, ...status], ...later].filter((stage) => stage.length > 0),
    events: eventsOf({ kind: placements, key: placement.key, uid: placement.uid }, plan, result),
    ...(result.recheckAt === undefined ? {} : { requeueAfterMs: Math.max(1, result.recheckAt - now.wall) }),
  };
}

/**
 * A misconfigured Placement neither gains nor loses clusters, so its PlacementDecisions stay. If the Placement has no PlacementDecision, an
 * empty one is written, as upstream does. The fleet controller reads the condition and treats the entry as unknown.
 */
function decideMisconfigured(state: PlacementState, misconfigured: Misconfiguration, now: Now): Decision {
  const isPaged = state.pages.length > 0;
  const plan = isPaged ? undefined : planPages(state, pagesOf(state.placement.key.name, NO_CLUSTERS));
  // Write the condition before the empty PlacementDecision, from which a reader would otherwise conclude that no cluster is selected.
  const stages = [misconfiguredStatus(state, misconfigured, now), ...(plan?.stages ?? [])];
  return { stages: stages.filter((stage) => stage.length > 0) };
}

const NO_CLUSTERS: readonly ClusterGroup[] = [{ name: '', clusters: [] }];

function misconfiguredStatus(state: PlacementState, misconfigured: Misconfiguration, now: Now): readonly ApiAction[] {
  const condition = misconfiguredCondition(misconfigured);
  const isFirst = findCondition(state.placement.status.conditions, 'PlacementSatisfied') === undefined;
  return statusActions(state, [condition, ...(isFirst ? [satisfied(state, NONE_SELECTED)] : [])], {}, now);
}

function settledStatus(state: PlacementState, result: Schedule, wanted: readonly Page[], now: Now): readonly ApiAction[] {
  const conditions = [misconfiguredCondition(undefined), satisfied(state, result)];
  return statusActions(
    state,
    conditions,
    { numberOfSelectedClusters: result.count, decisionGroups: groupStatuses(result.groups, wanted) },
    now,
  );
}

const NONE_SELECTED = { count: 0, unscheduled: 0 };

function satisfied(
  { bound, eligible, clusters, placement }: PlacementState,
  result: Pick<Schedule, 'count' | 'unscheduled'>,
): PlacementCondition {
  return satisfiedCondition({ bound, eligible, clusters: clusters.length }, placement.spec.clusterSets ?? [], result);
}

/** The status to write together with PlacementDecisions. It changes only if the API server rejected one of them. */
function refusedStatus(state: PlacementState, stages: readonly (readonly ApiAction[])[], now: Now): readonly ApiAction[] {
  const refusal = stages
    .flat()
    .map(({ id }) => state.outcomes.refusal(id))
    .find((found) => found !== undefined);
  if (!refusal) return [];
  const page = refusal.id.slice(pageActionId('').length);
  return statusActions(state, [failedCondition(`PlacementDecision ${page} could not be written: ${refusal.message}`)], {}, now);
}

function statusActions(
  { placement }: PlacementState,
  conditions: readonly PlacementCondition[],
  fields: Pick<PlacementStatus, 'numberOfSelectedClusters' | 'decisionGroups'>,
  now: Now,
): readonly ApiAction[] {
  const { status, generation } = placement;
  let list: readonly Condition[] = status.conditions ?? [];
  for (const condition of conditions) list = setCondition(list, condition, { generation, now: now.time });
  const next: PlacementStatus = { ...status, ...fields, conditions: list };
  const patch = createMergePatch(status, next) as JsonObject;
  return Object.keys(patch).length === 0 ? [] : [writeStatus(placement, patch)];
}
