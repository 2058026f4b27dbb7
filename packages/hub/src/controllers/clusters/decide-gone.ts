import { shell } from '@outrigger/core';
import { DETACH_ANNOTATION, managedClusterAddOns, manifestWorks, namespaces } from '@outrigger/api';
import type { EventIntent, Now } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { LifecycleProjection } from '../../resources/cluster-lifecycle.js';
import type { NamespaceProjection } from '../../resources/cluster-rights.js';
import type { ClusterAction, LifecycleDecision } from './actions.js';
import { GONE_AFTER_MS, isMassLoss } from './gone.js';
import type { ClusterState, GoneState } from './state.js';
import { cleanup } from './steps/cleanup.js';
import { endedIdentity } from './steps/identity.js';
import { staleLease } from './steps/lease.js';
import { removedRights, terminatingRights } from './steps/rights.js';

/** The interval at which the hub counts the disappeared clusters again while they wait for a confirmation. */
const RECHECK_MS = 60_000;

/**
 * Decides one pass over a cluster whose ManagedCluster disappeared before the hub removed its own finalizers. The hub removes the remaining
 * objects as for a cluster that is being deleted, but only after the API server has answered twice, ten seconds apart, that the
 * ManagedCluster does not exist. If many clusters disappear at once, a user must also confirm the removal on the Namespace. If a user
 * deletes the Namespace itself, the API server removes the objects in it; the hub then only removes the finalizer of the binding that the
 * agent needs while it cleans up its works.
 */
export function decideGone(state: GoneState, now: Now): LifecycleDecision {
  const { namespace, goneSince } = state;
  if (namespace.isDeleting) {
    const { guard, namespaced } = terminatingRights(state, state.name);
    return { stages: guard ? [[guard], namespaced] : [] };
  }
  const leftovers = asDeleting(state);
  const asking: ClusterAction = { type: 'effect', effect: 'confirm-gone', id: 'confirm-gone', input: state.name };
  if (goneSince === undefined) return { stages: [[asking]], requeueAfterMs: GONE_AFTER_MS };
  const leftMs = goneSince + GONE_AFTER_MS - now.monotonic;
  if (leftMs > 0) return { stages: [], requeueAfterMs: leftMs };
  if (isMassLoss(state.goneCount, state.livingCount) && namespace.detach === undefined) {
    return { stages: [], events: [warning(namespace, needsConfirmation(state))], requeueAfterMs: RECHECK_MS };
  }
  const plan = cleanup(leftovers);
  const steps = plan.isEmpty ? [...removedRights(leftovers), ...staleLease(leftovers), ...endedIdentity(namespace, now)] : plan.actions;
  const guards = [asking, ...(plan.guard ? [plan.guard] : [])];
  return {
    stages: steps.length === 0 ? [] : [guards, steps],
    events:
      steps.length === 0
        ? []
        : [warning(namespace, removing(state)), ...plan.events.map((event) => ({ ...event, ...regarding(namespace) }))],
  };
}

/** Builds the projection that the deletion steps need. Only the name of the cluster is known, so the other fields get fixed values. */
function asDeleting({ name, namespace, ...rest }: GoneState): ClusterState {
  const cluster: LifecycleProjection = {
    key: { name },
    uid: `gone-${namespace.uid}`,
    resourceVersion: '',
    generation: 0,
    isDeleting: true,
    isForced: namespace.detach === 'forced',
    finalizers: [],
    labels: {},
    accepts: false,
    wasAutoAccepted: false,
    leaseSeconds: 60,
    skipsClockCheck: true,
    taints: [],
    conditions: [],
    managedNamespaces: [],
  };
  return { ...rest, cluster, namespace, rememberedLease: undefined, askingSets: [] };
}

function needsConfirmation({ name, goneCount, livingCount }: GoneState): string {
  return (
    `ManagedCluster ${name} is gone, with ${goneCount - 1} others of ${goneCount + livingCount}: what they left is removed when that is confirmed: ` +
    `${shell`kubectl annotate namespace ${name} ${DETACH_ANNOTATION}=confirmed`}`
  );
}

function removing({ name, addOns, works }: GoneState): string {
  const left = `${addOns.length} ${managedClusterAddOns.plural} and ${works.length} ${manifestWorks.plural}`;
  return (
    `ManagedCluster ${name} is gone without having been released: removing ${left}, its rights and its lease. ` +
    `If its agent never comes back to clean up: ${shell`kubectl annotate namespace ${name} ${DETACH_ANNOTATION}=forced`}`
  );
}

function regarding({ key, uid }: NamespaceProjection): Pick<EventIntent, 'regarding'> {
  return { regarding: { kind: namespaces, key, uid } };
}

function warning(namespace: NamespaceProjection, message: string): EventIntent {
  return { api: HUB, ...regarding(namespace), type: 'Warning', reason: 'ClusterGone', message };
}
