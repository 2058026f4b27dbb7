import {
  type ClusterManagementAddOnStatus,
  DEPENDENCIES_VALID_MESSAGES,
  type ManagementCondition,
  TARGETS_RESOLVED_MESSAGES,
  clusterManagementAddOns,
  progressionMessage,
} from '@outrigger/api';
import { type Condition, type JsonObject, createMergePatch, findCondition, removeCondition, setCondition } from '@outrigger/core';
import type { ApiAction, Now } from '@outrigger/kube';
import { type ConfigProblem, refKey, toRef } from '@outrigger/rules/configuration';
import type { TargetHistory } from '@outrigger/rules/revisions';
import { defaultConfigs, reportedPlacement } from '@outrigger/rules/strategy';
import type { EntryStep } from '@outrigger/rules/rollout';
import { patchObservedStatus } from '../observed-actions.js';
import { progressions } from './progressions.js';
import type { Removal } from './removal.js';
import type { FleetState } from './state.js';

export const STATUS_ACTION = 'status';

/** Problems that affect the whole declaration. */
export interface Obstacles extends Pick<Removal, 'pending'> {
  /** Why content cannot be stored. */
  readonly refusal: string | undefined;
}

type Progressing = Extract<ManagementCondition, { type: 'Progressing' }>;

/** Computes the status of a ClusterManagementAddOn: its versions, the progress of each Placement, and whether its clusters are known. */
export function declarationStatus(
  state: FleetState,
  steps: readonly EntryStep[],
  history: TargetHistory,
  obstacles: Obstacles,
  now: Now,
): ClusterManagementAddOnStatus {
  const { managementAddOn, catalog } = state;
  const { status } = managementAddOn;
  const at = { generation: managementAddOn.generation, now: now.time };
  // installProgressions reports only the entries of Placements. This condition reports the entry of a strategy without Placements.
  const unplaced = state.entries.find(({ entry }) => entry.source !== undefined && reportedPlacement(entry) === undefined);
  const unplacedStep = unplaced && steps.find(({ entry }) => entry.name === unplaced.entry.name);
  let list: readonly Condition[] = status.conditions ?? [];
  list = setCondition(list, targetsResolved(state, obstacles, steps), at);
  list = setCondition(list, dependenciesValid(state.cycle), at);
  const degraded = rolledBackCondition(steps);
  list = degraded ? setCondition(list, degraded, at) : removeOwnDegraded(list);
  list = unplacedStep ? setCondition(list, progressingOf(unplacedStep), at) : removeCondition(list, 'Progressing');

  const hasVersions = catalog.isFromTemplates && (catalog.supported.length > 0 || status.supportedVersions !== undefined);
  const hasPlacements = state.entries.some(({ entry }) => reportedPlacement(entry) !== undefined);
  const defaults = defaultReferences(state);
  return {
    ...status,
    ...(hasVersions ? { supportedVersions: catalog.supported, defaultVersion: catalog.defaultVersion } : {}),
    ...(defaults.length > 0 || status.defaultconfigReferences ? { defaultconfigReferences: defaults } : {}),
    ...(hasPlacements || status.installProgressions
      ? {
          installProgressions: progressions(state, steps, history, (step, conditions) => setCondition(conditions, progressingOf(step), at)),
        }
      : {}),
    conditions: list,
  };
}

/** Computes the status for a record whose format this manager cannot read. Only the Progressing condition changes. */
export function unreadableRecordStatus({ managementAddOn }: FleetState, message: string, now: Now): ClusterManagementAddOnStatus {
  const at = { generation: managementAddOn.generation, now: now.time };
  const condition: Progressing = { type: 'Progressing', status: 'False', reason: 'Failed', message };
  return { ...managementAddOn.status, conditions: setCondition(managementAddOn.status.conditions ?? [], condition, at) };
}

export function statusAction({ managementAddOn }: FleetState, next: ClusterManagementAddOnStatus): ApiAction | undefined {
  const patch = createMergePatch(managementAddOn.status, next) as JsonObject;
  if (Object.keys(patch).length === 0) return undefined;
  return patchObservedStatus(managementAddOn, clusterManagementAddOns, STATUS_ACTION, patch);
}

/** The Progressing condition of an entry, in upstream's terms. Upstream has no reason for a halted rollout, so `Failed` is our addition. */
function progressingOf({ entry, problem }: EntryStep): Progressing {
  const { selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0 } = entry;
  const counters = progressionMessage({ selected, done, progressing, failed, skipped });
  const message = problem === undefined ? counters : `${counters}; ${problem}`;
  if (entry.state === 'Halted') return { type: 'Progressing', status: 'False', reason: 'Failed', message };
  // The record completes a target when a cluster has it, but not while a gate holds the end or clusters of the entry are not known.
  const hasCompleted = entry.completedRevision === entry.targetRevision;
  // As in upstream, a rollout without selected clusters is not complete.
  if (selected > 0 && done + skipped === selected && hasCompleted)
    return { type: 'Progressing', status: 'False', reason: 'Completed', message };
  return { type: 'Progressing', status: 'True', reason: 'Progressing', message };
}

function targetsResolved({ entries }: FleetState, { pending, refusal }: Obstacles, steps: readonly EntryStep[]): ManagementCondition {
  if (refusal !== undefined) return { type: 'TargetsResolved', status: 'False', reason: 'ContentNotStored', message: refusal };
  const unknown = entries.map((entry) => entry.unknown).find((problem) => problem !== undefined);
  if (unknown) return { type: 'TargetsResolved', status: 'False', reason: unknown.reason, message: unknown.message };
  if (pending) {
    const message = TARGETS_RESOLVED_MESSAGES.removalNeedsConfirmation(pending.count, pending.of);
    return { type: 'TargetsResolved', status: 'False', reason: 'RemovalNeedsConfirmation', message };
  }
  const gone = [...new Set(steps.flatMap(({ goneDefault }) => goneDefault ?? []))].sort();
  if (gone.length > 0) {
    const message = TARGETS_RESOLVED_MESSAGES.defaultVersionGone(gone);
    return { type: 'TargetsResolved', status: 'False', reason: 'DefaultVersionGone', message };
  }
  return { type: 'TargetsResolved', status: 'True', reason: 'AllResolved', message: TARGETS_RESOLVED_MESSAGES.allResolved };
}

/** The condition that reports to GitOps tools that the declaration requests rejected content. */
function rolledBackCondition(steps: readonly EntryStep[]): ManagementCondition | undefined {
  const rejected = steps.filter(({ rejection }) => rejection !== undefined);
  if (rejected.length === 0) return undefined;
  const texts = rejected.map(({ entry, rejection }) => {
    const back = entry.rolledBack ? `, went back to revision ${entry.rolledBack.to}` : '';
    return `${entry.name}: revision ${rejection?.revision ?? '?'} is rejected${back}: ${rejection?.reason ?? ''}`;
  });
  return { type: 'Degraded', status: 'True', reason: 'RolledBack', message: texts.join('; ') };
}

/** Removes our own Degraded condition. A Degraded condition from another writer stays unchanged. */
function removeOwnDegraded(list: readonly Condition[]): readonly Condition[] {
  return findCondition(list, 'Degraded')?.reason === 'RolledBack' ? removeCondition(list, 'Degraded') : list;
}

function dependenciesValid(cycle: readonly string[] | undefined): ManagementCondition {
  if (cycle) {
    return { type: 'DependenciesValid', status: 'False', reason: 'CircularDependency', message: DEPENDENCIES_VALID_MESSAGES.cycle(cycle) };
  }
  return { type: 'DependenciesValid', status: 'True', reason: 'NoCycle', message: DEPENDENCIES_VALID_MESSAGES.noCycle };
}

function defaultReferences({ managementAddOn, configs }: FleetState): NonNullable<ClusterManagementAddOnStatus['defaultconfigReferences']> {
  const reported = new Map(
    (managementAddOn.status.defaultconfigReferences ?? []).flatMap(({ desiredConfig, ...kind }) =>
      desiredConfig ? [[refKey(toRef({ ...kind, ...desiredConfig })), desiredConfig.specHash] as const] : [],
    ),
  );
  return defaultConfigs(managementAddOn.spec).map((ref) => {
    const { group, resource, namespace, name } = ref;
    const live = configs.live(ref);
    const specHash = typeof live === 'string' ? digestWithout(live, reported.get(refKey(ref))) : live.specHash;
    return { group, resource, desiredConfig: { ...(namespace === '' ? {} : { namespace }), name, specHash } };
  });
}

/**
 * Returns the digest of a config that cannot be read: empty if the config does not exist, otherwise the digest in the status, because
 * another manager may have written it and would write it again.
 */
function digestWithout(problem: ConfigProblem, reported: string | undefined): string {
  return problem === 'NotFound' ? '' : (reported ?? '');
}
