import { type ManagedCluster, type ManagedClusterAddOn } from '@outrigger/api';
import { findCondition, isConditionTrue, shell } from '@outrigger/core';
import { type Link, ok, stop, wait } from '../explanation/chain.js';
import { nameOf } from './snapshot.js';

/** Explains the state of the cluster: whether it is accepted, joined and available, and if not, why. */
export function explainCluster(cluster: ManagedCluster, installed: ManagedClusterAddOn | undefined): readonly Link[] {
  const name = nameOf(cluster);
  const { deletionTimestamp, creationTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return [wait(`cluster ${name} is leaving the fleet since ${deletionTimestamp}`)];
  if (!cluster.spec.hubAcceptsClient) return [stop(`the hub has not accepted cluster ${name}`, shell`outrigger accept ${name}`)];
  const available = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable');
  if (!available && !isConditionTrue(cluster.status?.conditions, 'ManagedClusterJoined') && !isRunning(installed)) {
    const since = creationTimestamp === undefined ? '' : ` since ${creationTimestamp}`;
    return [
      stop(
        `no agent has joined as cluster ${name}: the hub waits for it${since}`,
        `${shell`outrigger join ${name} > ${`${name}.yaml`}`}, then apply that file to the cluster`,
      ),
    ];
  }
  if (available && available.status !== 'True')
    return [
      stop(
        `cluster ${name} is not available since ${available.lastTransitionTime}: ${available.message}`,
        `check the agent on ${name} and its way to the hub`,
      ),
    ];
  return [ok(`cluster ${name} is accepted${available ? ' and available' : ''}`)];
}

/**
 * Whether the add-on is available on the cluster. If it is, an agent must be running, although agents of other vendors may not set
 * conditions on the cluster.
 */
function isRunning(installed: ManagedClusterAddOn | undefined): boolean {
  return isConditionTrue(installed?.status?.conditions, 'Available');
}
