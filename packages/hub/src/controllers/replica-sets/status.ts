import type { ManifestWorkReplicaSetStatus, ManifestWorkReplicaSetSummary, ReplicaSetCondition } from '@outrigger/api';
import { type Condition, type JsonObject, createMergePatch, isConditionTrue, setCondition } from '@outrigger/core';
import type { Now, Refusal } from '@outrigger/kube';
import type { PlacementPlan, PlannedWork } from './plan.js';
import type { ReplicaSetState } from './state.js';

/** The status patch of a pass; empty if the status does not change. */
export function statusPatch(
  { set }: ReplicaSetState,
  conditions: readonly ReplicaSetCondition[],
  plans: readonly PlacementPlan[],
  now: Now,
): JsonObject {
  let list: readonly Condition[] = set.status.conditions ?? [];
  for (const condition of conditions) list = setCondition(list, condition, { generation: set.generation, now: now.time });
  const next: ManifestWorkReplicaSetStatus = {
    conditions: list,
    summary: sum(plans.map(summaryOf)),
    placementSummary: plans.map((plan) => ({
      name: plan.placement.name,
      availableDecisionGroups: `${plan.placement.decided.groups.length} (${plan.works.length} / ${desired(plan)} clusters applied)`,
      summary: summaryOf(plan),
    })),
  };
  return createMergePatch(set.status, next) as JsonObject;
}

export function conditionsOf(plans: readonly PlacementPlan[], refusal: Refusal | undefined): readonly ReplicaSetCondition[] {
  return [placementVerified(plans), placementRolledOut(plans), manifestWorkApplied(plans, refusal)];
}

/** The condition for a set whose name does not fit into the names of its works. */
export function invalidName(message: string): ReplicaSetCondition {
  return { type: 'ManifestworkApplied', status: 'False', reason: 'InvalidManifestWorkName', message };
}

function placementVerified(plans: readonly PlacementPlan[]): ReplicaSetCondition {
  const type = 'PlacementVerified';
  const unknown = plans.flatMap(({ placement }) => placement.unknown ?? [])[0];
  if (unknown) return { type, status: 'False', reason: unknown.reason, message: unknown.message };
  const empty = plans.filter((plan) => desired(plan) === 0).map(({ placement }) => placement.name);
  if (empty.length > 0)
    return { type, status: 'False', reason: 'PlacementDecisionEmpty', message: `No cluster is selected by Placement ${empty.join(', ')}.` };
  return { type, status: 'True', reason: 'AsExpected', message: 'All Placements select clusters.' };
}

function placementRolledOut(plans: readonly PlacementPlan[]): ReplicaSetCondition {
  const type = 'PlacementRolledOut';
  const selected = total(plans, desired);
  const succeeded = total(plans, ({ works }) => works.filter(isSucceeded).length);
  const isKnown = plans.every(({ placement }) => placement.unknown === undefined);
  if (isKnown && selected === succeeded)
    return { type, status: 'True', reason: 'Complete', message: `All ${selected} clusters have the template.` };
  const halted = plans.filter(({ hasTooManyFailures }) => hasTooManyFailures).map(({ placement }) => placement.name);
  const why =
    halted.length === 0 ? '' : ` Too many clusters of Placement ${halted.join(', ')} have failed: no further cluster gets the template.`;
  return { type, status: 'False', reason: 'Progressing', message: `${succeeded} of ${selected} clusters have the template.${why}` };
}

function isSucceeded({ hasTemplate, progress, work }: PlannedWork): boolean {
  return hasTemplate && progress.phase === 'succeeded' && !work.isDeleting;
}

function manifestWorkApplied(plans: readonly PlacementPlan[], refusal: Refusal | undefined): ReplicaSetCondition {
  const type = 'ManifestworkApplied';
  if (refusal)
    return { type, status: 'False', reason: 'NotAsExpected', message: `A ManifestWork could not be written: ${refusal.message}` };
  const all = sum(plans.map(summaryOf));
  const isEmpty = plans.every(({ placement, works }) => placement.decided.positions.size === 0 && works.length === 0);
  if (isEmpty) return { type, status: 'False', reason: 'PlacementDecisionEmpty', message: 'No cluster is selected.' };
  const isSettled = all.total === all.desiredTotal && all.available === all.total && all.progressing === 0 && all.degraded === 0;
  if (isSettled) return { type, status: 'True', reason: 'AsExpected', message: `All ${all.total} ManifestWorks are available.` };
  const message = `${all.available} of ${all.desiredTotal} ManifestWorks are available, ${all.progressing} are progressing, ${all.degraded} are degraded.`;
  return { type, status: 'False', reason: all.degraded > 0 ? 'NotAsExpected' : 'Processing', message };
}

type Summary = Required<ManifestWorkReplicaSetSummary>;

/** The number of wanted works. While a Placement's clusters are not known, its existing works count as wanted. */
function desired({ placement, works }: PlacementPlan): number {
  return placement.unknown ? works.length : placement.decided.positions.size;
}

function summaryOf(plan: PlacementPlan): Summary {
  const { works } = plan;
  const having = (type: string): number => works.filter(({ work }) => isConditionTrue(work.conditions, type)).length;
  return {
    total: works.length,
    desiredTotal: desired(plan),
    updated: works.filter(({ hasTemplate }) => hasTemplate).length,
    applied: having('Applied'),
    available: having('Available'),
    progressing: having('Progressing'),
    degraded: having('Degraded'),
  };
}

const NONE: Summary = { total: 0, desiredTotal: 0, updated: 0, applied: 0, available: 0, progressing: 0, degraded: 0 };

function sum(summaries: readonly Summary[]): Summary {
  return summaries.reduce((all, each) => {
    const names = Object.keys(NONE) as (keyof Summary)[];
    return Object.fromEntries(names.map((name) => [name, all[name] + each[name]])) as unknown as Summary;
  }, NONE);
}

function total(plans: readonly PlacementPlan[], count: (plan: PlacementPlan) => number): number {
  return plans.reduce((all, plan) => all + count(plan), 0);
}
