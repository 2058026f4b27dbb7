import { type ManagedNamespace, type ManagedNamespaceCondition, NAMESPACE_MESSAGES, managedClusters, namespaces } from '@outrigger/api';
import { deepEqual, isConditionTrue, setCondition } from '@outrigger/core';
import type { ApiAction, Decision, EffectAction, Now, Outcomes } from '@outrigger/kube';
import { patchObservedStatus } from '../observed-actions.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { ManagedNamespaceProjection } from '../resources/managed-namespaces.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';

export interface NamespacesState {
  readonly cluster: OwnClusterProjection;
  /** The label of the namespaces that this hub manages. */
  readonly label: string;
  /** The namespaces with this hub's label, by name. */
  readonly labelled: ReadonlyMap<string, ManagedNamespaceProjection>;
  readonly outcomes: Outcomes;
}

export type NamespacesEffects = { readonly manage: ManageInput };

/** The input of the effect that creates a namespace, or labels an existing one. */
export interface ManageInput {
  readonly name: string;
  readonly label: string;
}

/**
 * Creates and labels the namespaces that the hub requests, reports the outcome, and sets the label to `false` on namespaces that are no
 * longer requested. Never deletes a namespace.
 */
export function decide(state: NamespacesState, now: Now): Decision<never, NamespacesEffects> {
  const { cluster, label, labelled } = state;
  if (!isConditionTrue(cluster.status.conditions, 'HubAcceptedManagedCluster')) return { stages: [] };
  const wanted = cluster.isDeleting ? [] : (cluster.status.managedNamespaces ?? []);
  const names = new Set(wanted.map(({ name }) => name));
  const missing = [...names].filter((name) => labelled.get(name)?.isManaged !== true);
  const released = [...labelled.values()].filter(({ key, isManaged, isDeleting }) => isManaged && !isDeleting && !names.has(key.name));
  const actions = [...missing.map((name) => manage(name, label)), ...released.map((namespace) => release(namespace, label))];
  const report = cluster.isDeleting ? [] : reportOf(state, wanted, now);
  return { stages: [report, actions].filter((stage) => stage.length > 0) };
}

function actionId(name: string): string {
  return `namespace/${name}`;
}

function manage(name: string, label: string): EffectAction<NamespacesEffects> {
  const input: ManageInput = { name, label };
  return { type: 'effect', effect: 'manage', id: actionId(name), input };
}

function release({ key, uid }: ManagedNamespaceProjection, label: string): ApiAction {
  const patch = { metadata: { labels: { [label]: 'false' } } };
  return { type: 'patch', id: actionId(key.name), api: CLUSTER, kind: namespaces, key, patch, precondition: { uid }, accept: ['NotFound'] };
}

function reportOf(state: NamespacesState, wanted: readonly ManagedNamespace[], now: Now): readonly ApiAction[] {
  const { generation } = state.cluster;
  const next = wanted.map((namespace) => {
    const condition = conditionOf(namespace.name, state);
    if (!condition) return namespace;
    return { ...namespace, conditions: setCondition(namespace.conditions ?? [], condition, { generation, now: now.time }) };
  });
  return deepEqual(next, wanted) ? [] : [patchObservedStatus(state.cluster, HUB, managedClusters, 'status', { managedNamespaces: next })];
}

/** Returns the condition of a namespace, or undefined until the namespace exists or its creation has been rejected. */
function conditionOf(name: string, { labelled, outcomes }: NamespacesState): ManagedNamespaceCondition | undefined {
  const type = 'NamespaceAvailable';
  if (labelled.get(name)?.isManaged) return { type, status: 'True', reason: 'NamespaceApplied', message: NAMESPACE_MESSAGES.applied };
  const refusal = outcomes.refusal(actionId(name));
  return refusal && { type, status: 'False', reason: 'NamespaceApplyFailed', message: NAMESPACE_MESSAGES.applyFailed(refusal.message) };
}
