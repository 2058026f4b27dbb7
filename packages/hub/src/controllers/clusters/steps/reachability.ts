import { CLUSTER_EVENT_MESSAGES, type ClusterEventReason, UNREACHABLE_TAINT, managedClusters } from '@outrigger/api';
import { type Condition, findCondition, parseTime } from '@outrigger/core';
import type { ApiAction, EventIntent } from '@outrigger/kube';
import { HUB } from '../../../resources/base.js';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';
import { graceMs } from './lease.js';

const AVAILABLE = 'ManagedClusterConditionAvailable';

/**
 * Returns the Event for an agent that has stopped renewing its Lease, or the Event for an agent that is reachable again. The first is sent
 * after the status is written, the second after the taints are written. A cluster that has just joined is not reported as reachable again.
 */
export function reachabilityEvents(
  cluster: LifecycleProjection,
  next: readonly Condition[],
  writes: readonly Pick<ApiAction, 'id'>[],
): readonly EventIntent[] {
  const isWritten = (id: string): boolean => writes.some((write) => write.id === id);
  const { name } = cluster.key;
  const old = findCondition(cluster.conditions, AVAILABLE);
  const now = findCondition(next, AVAILABLE);
  if (now?.status === 'Unknown' && old !== undefined && old.status !== 'Unknown' && isWritten('status'))
    return [{ ...event(cluster, 'Warning', 'ClusterUnreachable', CLUSTER_EVENT_MESSAGES.unreachable(name)), afterAction: 'status' }];
  // The agent reports that the cluster is available again. The taint shows that the hub treated the cluster as unreachable until now.
  const wasUnreachable = cluster.taints.some(({ key }) => key === UNREACHABLE_TAINT);
  if (now?.status === 'Unknown' || old?.status !== 'True' || !isWritten('cluster')) return [];
  if (!wasUnreachable || !wasJoinedBefore(cluster, old)) return [];
  return [{ ...event(cluster, 'Normal', 'ClusterReachable', CLUSTER_EVENT_MESSAGES.reachable(name)), afterAction: 'cluster' }];
}

/**
 * Whether the cluster joined at least one grace period before its Available condition became True. If so, Available was already True at an
 * earlier time. For a cluster that has just joined, Available becomes True for the first time.
 */
function wasJoinedBefore(cluster: LifecycleProjection, available: Condition): boolean {
  const joined = parseTime(findCondition(cluster.conditions, 'ManagedClusterJoined')?.lastTransitionTime);
  const since = parseTime(available.lastTransitionTime);
  return joined !== undefined && since !== undefined && since - joined >= graceMs(cluster);
}

function event({ key, uid }: LifecycleProjection, type: EventIntent['type'], reason: ClusterEventReason, message: string): EventIntent {
  return { api: HUB, regarding: { kind: managedClusters, key, uid }, type, reason, message };
}
