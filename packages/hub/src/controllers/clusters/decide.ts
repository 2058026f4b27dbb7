import {
  CLUSTER_NAME_LABEL,
  type ClusterCondition,
  MADE_NAMESPACE_ANNOTATION,
  type ManagedNamespace,
  type Namespace,
  clusterNameProblem,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { type Condition, type JsonObject, asJson, apiVersionOf, setCondition } from '@outrigger/core';
import type { ApiAction, Now } from '@outrigger/kube';
import { patchObserved, patchObservedStatus } from '../observed-actions.js';
import { HUB } from '../../resources/base.js';
import type { ClusterAction, LifecycleDecision } from './actions.js';
import { decideGone } from './decide-gone.js';
import { type ClusterMemory, type ClusterState, type GoneState, SEEN } from './state.js';
import { acceptedCondition, autoAcceptance, guardedFinalizers, wasEverAccepted, withoutGuards } from './steps/acceptance.js';
import { cleanup } from './steps/cleanup.js';
import { endedIdentity } from './steps/identity.js';
import { featureLabels } from './steps/features.js';
import { type LeaseMemory, leaseVerdict, missingLease, staleLease } from './steps/lease.js';
import { managedNamespaces } from './steps/namespaces.js';
import { type RightsPlan, acceptedRights, deniedRights, removedRights, terminatingRights } from './steps/rights.js';
import { terminatingMessage } from './steps/terminating.js';
import { reachabilityEvents } from './steps/reachability.js';
import { availabilityTaints } from './steps/taints.js';

/** Decides one pass over a ManagedCluster: the objects that the hub keeps for it, the permissions of its agent, and its availability. */
export function decide(state: ClusterState | GoneState, now: Now): LifecycleDecision {
  if (!state.cluster) return decideGone(state, now);
  return state.cluster.isDeleting ? decideDeleting(state, now) : decideLiving(state, now);
}

function decideLiving(state: ClusterState, now: Now): LifecycleDecision {
  const { cluster } = state;
  const rights = rightsOf(state);
  const namespace = isAdmissible(state) ? namespaceActions(state) : [];
  const needed = [...namespace, ...rights.clusterWide, ...rights.namespaced];
  // No object can be created in a namespace that is being deleted; a later pass creates the objects in the new namespace.
  const { guard, namespaced } = state.namespace?.isDeleting
    ? terminatingRights(state, cluster.key.name)
    : { ...rights, namespaced: [...rights.namespaced, ...(hasValidName(state) ? missingLease(state, now) : [])] };
  const isReady = isAdmissible(state) && needed.length === 0 && state.namespace?.isDeleting === false;
  const accepted = acceptedCondition(state, isReady, obstacle(state, needed));
  const { conditions, expiresInMs, remember } = leaseVerdict(state, now);
  const written = { conditions: [...(accepted ? [accepted] : []), ...conditions], namespaces: managedNamespaces(state) };
  const own = ownActions(state, ownPatch(state, now), written, now);
  const events = reachabilityEvents(cluster, withConditions(cluster, written, now), own);
  return {
    ...(events.length > 0 ? { events } : {}),
    // The finalizer is written before the objects that the hub must remove when the cluster is deleted, and the namespace before the
    // objects in it.
    stages: [own, [...namespace, ...rights.clusterWide], guard ? [guard] : [], namespaced].filter((stage) => stage.length > 0),
    ...recheckOf(expiresInMs),
    remember: memoryOf(remember),
  };
}

/**
 * Whether the cluster may have its name. Admission rejects names with which an agent would get permissions outside the cluster's own
 * namespace. The controller repeats the check, because admission may not be in use.
 */
function hasValidName({ cluster }: ClusterState): boolean {
  return clusterNameProblem(cluster.key.name) === undefined;
}

/** Whether the cluster gets a namespace and permissions. */
function isAdmissible(state: ClusterState): boolean {
  return state.cluster.accepts && hasValidName(state);
}

function rightsOf(state: ClusterState): RightsPlan {
  if (isAdmissible(state)) return acceptedRights(state);
  return (wasEverAccepted(state.cluster) && hasValidName(state)) || hasRights(state)
    ? deniedRights(state)
    : { clusterWide: [], namespaced: [] };
}

/**
 * Whether the permissions of a cluster that is not accepted must be reduced. Depends only on whether the permissions exist, not on the
 * acceptance condition, because the agent may write the status.
 */
function hasRights({ rights }: ClusterState): boolean {
  return [rights.role, rights.binding, rights.registrationBinding, rights.workBinding].some((right) => right !== undefined);
}

/** The reason why the cluster cannot be accepted yet, as a message for people. */
function obstacle(state: ClusterState, needed: readonly ClusterAction[]): string | undefined {
  const { cluster, namespace, outcomes } = state;
  const problem = clusterNameProblem(cluster.key.name);
  if (problem !== undefined) return problem;
  if (namespace?.isDeleting) return terminatingMessage(state);
  const refusal = needed.map(({ id }) => outcomes.refusal(id)).find((found) => found !== undefined);
  return refusal && `${refusal.id}: ${refusal.message}`;
}

/**
 * Deletes, in this order, add-ons, works, permissions and the cluster itself. The namespace stays, because it may contain other objects.
 */
function decideDeleting(state: ClusterState, now: Now): LifecycleDecision {
  const plan = cleanup(state);
  const { conditions, expiresInMs, remember } = leaseVerdict(state, now);
  const own = ownActions(state, {}, { conditions: [plan.condition, ...conditions] }, now);
  const actions = plan.isEmpty ? [...own, ...removedRights(state)] : plan.actions;
  // The steps are, in this order: report that no object remains, remove the permissions, remove the cluster. Each step waits for the
  // previous one.
  const isReleased = plan.isEmpty && actions.length === 0 && !state.rights.workBinding;
  const steps = isReleased ? releaseActions(state) : actions;
  const before = [...(steps.length > 0 && plan.guard ? [plan.guard] : []), ...(plan.isEmpty ? [] : own)];
  return {
    stages: [before, isReleased ? [...staleLease(state), ...endedIdentity(state.namespace, now)] : [], steps].filter(
      (stage) => stage.length > 0,
    ),
    events: plan.actions.length > 0 ? plan.events : [],
    ...recheckOf(expiresInMs),
    remember: memoryOf(remember),
  };
}

function recheckOf(expiresInMs: number | undefined): { readonly requeueAfterMs?: number } {
  return expiresInMs === undefined ? {} : { requeueAfterMs: Math.max(1, expiresInMs) };
}

function memoryOf(lease: LeaseMemory | undefined): ClusterMemory {
  return lease === undefined ? SEEN : { ...SEEN, lease };
}

function releaseActions(state: ClusterState): readonly ApiAction[] {
  const { finalizers } = state.cluster;
  const others = withoutGuards(finalizers);
  return others.length === finalizers.length
    ? []
    : [patchObserved(state.cluster, managedClusters, 'cluster', { metadata: { finalizers: others } })];
}

/**
 * Returns only the patch of the cluster's metadata and spec if there is one. The next pass then patches the status. In one pass the second
 * patch would fail, because both patches name the resourceVersion that the pass observed.
 */
function ownActions(state: ClusterState, patch: JsonObject, written: StatusFields, now: Now): readonly ApiAction[] {
  const { cluster } = state;
  if (Object.keys(patch).length > 0) return [patchObserved(cluster, managedClusters, 'cluster', patch)];
  const list = withConditions(cluster, written, now);
  const status = {
    ...(list === cluster.conditions ? {} : { conditions: list }),
    ...(written.namespaces ? { managedNamespaces: written.namespaces } : {}),
  };
  return Object.keys(status).length === 0 ? [] : [patchObservedStatus(cluster, managedClusters, 'status', status)];
}

function withConditions(cluster: ClusterState['cluster'], { conditions }: StatusFields, now: Now): readonly Condition[] {
  const at = { generation: cluster.generation, now: now.time };
  return conditions.reduce<readonly Condition[]>((list, condition) => setCondition(list, condition, at), cluster.conditions);
}

/** The status fields of a cluster that the hub writes. */
interface StatusFields {
  readonly conditions: readonly ClusterCondition[];
  /** The managed namespaces to write; undefined if the list in the status is already correct. */
  readonly namespaces?: readonly ManagedNamespace[] | undefined;
}

function ownPatch(state: ClusterState, now: Now): JsonObject {
  const { cluster } = state;
  const finalizers = guardedFinalizers(cluster);
  const taints = availabilityTaints(cluster);
  const labels = featureLabels(state);
  const parts: readonly JsonObject[] = [
    autoAcceptance(state, now),
    finalizers === cluster.finalizers ? {} : { metadata: { finalizers } },
    taints === cluster.taints ? {} : { spec: { taints: asJson(taints) } },
    Object.keys(labels).length === 0 ? {} : { metadata: { labels } },
  ];
  return parts.reduce(joined, {});
}

/** Combines two patches field by field. Unlike the application of a merge patch, this keeps the nulls, which remove fields. */
function joined(a: JsonObject, b: JsonObject): JsonObject {
  const both = { ...a } as Record<string, JsonObject[string]>;
  for (const [field, value] of Object.entries(b)) both[field] = { ...(a[field] as JsonObject | undefined), ...(value as JsonObject) };
  return both;
}

function namespaceActions({ cluster, namespace, options }: ClusterState): readonly ApiAction[] {
  const { name } = cluster.key;
  const labels = { ...options.namespaceLabels, [CLUSTER_NAME_LABEL]: name };
  if (!namespace) {
    const object: Namespace = {
      apiVersion: apiVersionOf(namespaces),
      kind: namespaces.kind,
      metadata: { name, labels, annotations: { [MADE_NAMESPACE_ANNOTATION]: cluster.uid } },
    };
    return [{ type: 'create', id: 'namespace', api: HUB, kind: namespaces, object }];
  }
  const isLabelled = Object.entries(labels).every(([label, value]) => namespace.labels[label] === value);
  if (isLabelled || namespace.isDeleting) return [];
  const { key, uid } = namespace;
  return [{ type: 'patch', id: 'namespace', api: HUB, kind: namespaces, key, patch: { metadata: { labels } }, precondition: { uid } }];
}
