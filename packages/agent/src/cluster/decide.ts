import { CLUSTER_MESSAGES, managedClusters } from '@outrigger/api';
import { type JsonObject, conditionStatus, createMergePatch, isConditionTrue } from '@outrigger/core';
import type { Decision, EventIntent, Now } from '@outrigger/kube';
import { patchObservedStatus } from '../observed-actions.js';
import { HUB } from '../resources/apis.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { type LastProbe, type ProbeResult, isVersionDue } from './probe.js';
import { type ClusterFacts, clusterStatus } from './status.js';

export interface ClusterState {
  readonly cluster: OwnClusterProjection;
  readonly lastProbe: LastProbe | undefined;
  readonly facts: Omit<ClusterFacts, 'probe'>;
}

/** The intervals between probes of the cluster's API server: while the server is healthy, and while it is failing. */
const PROBE_EVERY_MS = 60_000;
const PROBE_FAILING_EVERY_MS = 5_000;
/** Failures shorter than this are not reported, because an API server may be restarting. */
const FAILURE_PERSISTS_MS = 20_000;

export type ClusterEffects = {
  readonly probe: { readonly withVersion: boolean };
};

type ClusterDecision = Decision<LastProbe, ClusterEffects>;

function probeNow(last: LastProbe | undefined, now: Now): ClusterDecision {
  const input = { withVersion: isVersionDue(last, now.monotonic) };
  return { stages: [[{ type: 'effect', effect: 'probe', id: 'probe', input }]] };
}

/** Reports the cluster's status to the hub whenever it changes, and probes the cluster's API server periodically. */
export function decide({ cluster, lastProbe, facts }: ClusterState, now: Now): ClusterDecision {
  const { conditions } = cluster.status;
  if (cluster.isDeleting || !isConditionTrue(conditions, 'HubAcceptedManagedCluster')) return { stages: [] };
  if (!lastProbe) return probeNow(lastProbe, now);
  const { result, askedAt, failingSince } = lastProbe;
  const everyMs = result.isHealthy ? PROBE_EVERY_MS : PROBE_FAILING_EVERY_MS;
  const dueInMs = askedAt + everyMs - now.monotonic;
  if (dueInMs <= 0) return probeNow(lastProbe, now);
  const isPassing = failingSince !== undefined && now.monotonic - failingSince < FAILURE_PERSISTS_MS;
  // Nothing is reported while this cluster's clock is wrong, because the times in the report would be wrong too. The hub reports the wrong
  // clock.
  const isClockOff = conditionStatus(conditions, 'ManagedClusterConditionClockSynced') === 'False';
  if (isPassing || isClockOff) return { stages: [], requeueAfterMs: dueInMs };
  return { ...report(cluster, { ...facts, probe: result }, now), requeueAfterMs: dueInMs };
}

/**
 * Returns Events about availability. They are written to the cluster's own namespace on the hub, because the agent has no permission to
 * write to other namespaces.
 */
function availabilityEvents({ key, uid, status }: OwnClusterProjection, { isHealthy, code, detail }: ProbeResult): readonly EventIntent[] {
  if (conditionStatus(status.conditions, 'ManagedClusterConditionAvailable') === (isHealthy ? 'True' : 'False')) return [];
  const regarding = { kind: managedClusters, key: { namespace: key.name, name: key.name }, uid };
  return isHealthy
    ? [{ api: HUB, regarding, type: 'Normal', reason: 'Available', message: CLUSTER_MESSAGES.available }]
    : [{ api: HUB, regarding, type: 'Warning', reason: 'Unavailable', message: CLUSTER_MESSAGES.apiServerUnavailable(code, detail) }];
}

function report(cluster: OwnClusterProjection, facts: ClusterFacts, now: Now): ClusterDecision {
  const patch = createMergePatch(cluster.status, clusterStatus(cluster, facts, now)) as JsonObject;
  if (Object.keys(patch).length === 0) return { stages: [] };
  return {
    events: availabilityEvents(cluster, facts.probe),
    stages: [[patchObservedStatus(cluster, HUB, managedClusters, 'status', patch)]],
  };
}
