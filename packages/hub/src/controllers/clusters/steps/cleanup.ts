import {
  CLUSTER_MESSAGES,
  type ClusterCondition,
  DETACH_ANNOTATION,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type Kind, countText, shell } from '@outrigger/core';
import type { ApiAction, EventIntent } from '@outrigger/kube';
import { deleteObserved, patchObserved } from '../../observed-actions.js';
import { HUB } from '../../../resources/base.js';
import type { ClusterLeftoverProjection } from '../../../resources/cluster-leftovers.js';
import { LEFT_BEHIND_NAME } from '../../../resources/cluster-rights.js';
import type { ClusterAction } from '../actions.js';
import { type Due, dueOf, recheckInput } from '../recheck.js';
import type { ClusterState } from '../state.js';

type Deleting = Extract<ClusterCondition, { type: 'Deleting' }>;

export interface CleanupPlan {
  readonly actions: readonly ClusterAction[];
  /** The check on the API server that must succeed before `actions`, and before other actions that require an empty namespace. */
  readonly guard: ClusterAction | undefined;
  /** Whether the namespace no longer contains an add-on or work of the cluster. */
  readonly isEmpty: boolean;
  readonly condition: Deleting;
  readonly events: readonly EventIntent[];
}

const MAX_NAMES = 5;

/**
 * Removes the objects of a cluster that is being deleted, first its add-ons, then its works. Within each kind the objects with the lowest
 * cleanup priority go first, and each priority waits until the previous one is deleted. A forced deletion removes all objects at once,
 * after it has recorded the objects that stay on the cluster.
 */
export function cleanup(state: ClusterState): CleanupPlan {
  const { addOns, works, cluster } = state;
  const due = dueOf((kind) => (kind === managedClusterAddOns ? addOns : works));
  const guard: ClusterAction = { type: 'effect', effect: 'look-again', id: 'look-again', input: recheckInput(cluster.key.name, due) };
  if (!due) return { actions: [], guard, isEmpty: true, condition: nothingLeft(), events: [] };
  if (cluster.isForced) return forced(state);
  const actions = due.leftovers.filter(({ isDeleting }) => !isDeleting).map((leftover) => remove(due.kind, leftover));
  return { actions, guard, isEmpty: false, condition: remaining(state, actions, waitingFor(due, cluster.key.name)), events: [] };
}

function forced(state: ClusterState): CleanupPlan {
  const { cluster, namespace, addOns, works, leftBehind } = state;
  const { name } = cluster.key;
  // The ConfigMap that lists the remaining objects cannot be created in a namespace that is being deleted. The deletion then continues
  // without it.
  const isRecorded = leftBehind?.clusterUid === cluster.uid;
  if (!isRecorded && !namespace?.isDeleting) {
    const input = { cluster: name, uid: cluster.uid };
    const action: ClusterAction = { type: 'effect', effect: 'record-left-behind', id: 'record-left-behind', input };
    return {
      actions: [action],
      guard: undefined,
      isEmpty: false,
      condition: remaining(state, [action], 'recording what stays on the cluster'),
      events: [],
    };
  }
  const actions = [
    ...addOns.map((leftover) => release(managedClusterAddOns, leftover)),
    ...works.map((leftover) => release(manifestWorks, leftover)),
  ].flat();
  const rest = isRecorded
    ? `the objects that stay on the cluster are listed in ConfigMap ${name}/${LEFT_BEHIND_NAME}`
    : `the objects that stay on the cluster are not recorded, because the namespace ${name} is being deleted`;
  const message = `released ${name} by force: ${countText(addOns.length, 'add-on')} and ${countText(works.length, 'work')}; ${rest}`;
  const regarding = { kind: managedClusters, key: cluster.key, uid: cluster.uid };
  return {
    actions,
    guard: undefined,
    isEmpty: false,
    condition: remaining(state, actions, message),
    events: [{ api: HUB, regarding, type: 'Warning', reason: 'ForcedDetach', message }],
  };
}

/** Deletes the object. A later pass removes its finalizers, because no agent removes them. */
function release(kind: Kind, leftover: ClusterLeftoverProjection): readonly ApiAction[] {
  if (!leftover.isDeleting) return [remove(kind, leftover)];
  if (leftover.finalizers.length === 0) return [];
  return [patchObserved(leftover, kind, actionId(kind, leftover), { metadata: { finalizers: [] } })];
}

function remove(kind: Kind, leftover: ClusterLeftoverProjection): ApiAction {
  return deleteObserved(leftover, kind, actionId(kind, leftover));
}

function actionId(kind: Kind, { key }: ClusterLeftoverProjection): string {
  return `${kind.plural}/${key.name}`;
}

function nothingLeft(): Deleting {
  return { type: 'Deleting', status: 'True', reason: 'NoResource', message: CLUSTER_MESSAGES.nothingLeft };
}

function remaining({ outcomes }: ClusterState, actions: readonly ClusterAction[], message: string): Deleting {
  const refusal = actions.map(({ id }) => outcomes.refusal(id)).find((found) => found !== undefined);
  if (refusal) return { type: 'Deleting', status: 'False', reason: 'DeletingError', message: `${refusal.id}: ${refusal.message}` };
  return { type: 'Deleting', status: 'False', reason: 'ResourceRemaining', message };
}

function waitingFor({ kind, leftovers }: Due, cluster: string): string {
  const names = leftovers.map(({ key }) => key.name).sort();
  const listed = names.slice(0, MAX_NAMES).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return (
    `waiting until these ${kind.plural} are gone: ${listed}${more}. ` +
    `If the cluster will never come back: ${shell`kubectl annotate managedcluster ${cluster} ${DETACH_ANNOTATION}=forced`}`
  );
}
