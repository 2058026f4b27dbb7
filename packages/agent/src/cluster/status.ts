import { CLUSTER_MESSAGES, type ClusterCondition, type ManagedClusterClaim, type ManagedClusterStatus } from '@outrigger/api';
import { type Condition, removeCondition, setCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import type { ProbeResult } from './probe.js';

export interface ClusterFacts {
  readonly probe: ProbeResult;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly claims: readonly ManagedClusterClaim[];
  /** The messages about kinds that the agent needs but cannot read. */
  readonly missingKinds: readonly string[];
}

/** Returns the cluster's status as the agent reports it. Conditions and fields of other writers are kept. */
export function clusterStatus({ status, generation }: OwnClusterProjection, facts: ClusterFacts, now: Now): ManagedClusterStatus {
  const { probe } = facts;
  const joined: ClusterCondition = {
    type: 'ManagedClusterJoined',
    status: 'True',
    reason: 'ManagedClusterJoined',
    message: CLUSTER_MESSAGES.joined,
  };
  const known = [joined, availableCondition(probe), ...missingCondition(facts.missingKinds)];
  const before = facts.missingKinds.length === 0 ? removeCondition(status.conditions ?? [], MISSING) : (status.conditions ?? []);
  const conditions = known.reduce<readonly Condition[]>(
    (list, condition) => setCondition(list, condition, { generation, now: now.time }),
    before,
  );
  // While the API server does not respond, all previously reported fields except the conditions are kept.
  if (!probe.isHealthy) return { ...status, conditions };
  return {
    ...status,
    conditions,
    ...(probe.version === undefined ? {} : { version: { ...status.version, kubernetes: probe.version } }),
    // Capacities that other writers report (sockets, cores) are kept.
    capacity: { ...status.capacity, ...facts.capacity },
    allocatable: facts.allocatable,
    clusterClaims: facts.claims,
  };
}

const MISSING = 'AgentKindsReadable';

/** Returns the condition that lists the kinds that the agent cannot read; none if it can read all of them. */
function missingCondition(missing: readonly string[]): readonly ClusterCondition[] {
  if (missing.length === 0) return [];
  return [{ type: MISSING, status: 'False', reason: 'KindsMissing', message: CLUSTER_MESSAGES.kindsMissing(missing) }];
}

function availableCondition({ isHealthy, code, detail }: ProbeResult): ClusterCondition {
  const type = 'ManagedClusterConditionAvailable';
  if (isHealthy) return { type, status: 'True', reason: 'ManagedClusterAvailable', message: CLUSTER_MESSAGES.available };
  const message = CLUSTER_MESSAGES.apiServerUnavailable(code, detail);
  return { type, status: 'False', reason: 'ManagedClusterKubeAPIServerUnavailable', message };
}
