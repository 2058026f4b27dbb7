import { type ManagedCluster, type ManagedClusterAddOn } from '@outrigger/api';
import { type Condition, findCondition, isConditionTrue, shell, nameOf } from '@outrigger/core';
import { type Link, ok, stop, wait } from '../explanation/chain.js';

/** Explains the state of the cluster: whether it is accepted, joined and available, and if not, why. */
export function explainCluster(cluster: ManagedCluster, installed: ManagedClusterAddOn | undefined): readonly Link[] {
  const name = nameOf(cluster);
  const { deletionTimestamp, creationTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return [wait(`cluster ${name} is leaving the fleet since ${deletionTimestamp}`)];
  if (!cluster.spec.hubAcceptsClient) return [stop(`the hub has not accepted cluster ${name}`, shell`outrigger accept ${name}`)];
  const available = findCondition(cluster.status?.conditions, 'ManagedClusterConditionAvailable');
  const unprepared = unpreparedCondition(cluster);
  if (!unprepared && hasNeverJoined(cluster) && !isRunning(installed)) {
    const since = creationTimestamp === undefined ? '' : ` since ${creationTimestamp}`;
    return [
      stop(
        `no agent has joined as cluster ${name}: the hub waits for it${since}`,
        `${shell`outrigger join ${name} > ${`${name}.yaml`}`}, then apply that file to the cluster`,
      ),
    ];
  }
  const links = unprepared ? [unpreparedLink(name, unprepared)] : [];
  if (available && available.status !== 'True')
    return [
      ...links,
      stop(
        `cluster ${name} is not available since ${available.lastTransitionTime}: ${available.message}`,
        `check the agent on ${name} and its way to the hub`,
      ),
    ];
  return unprepared ? links : [ok(`cluster ${name} is accepted${available ? ' and available' : ''}`)];
}

/**
 * Whether the hub still waits for the first agent of the cluster. The Available condition alone does not show this: after five minutes the
 * hub reports it as Unknown for such a cluster, as for a cluster whose agent has stopped.
 */
export function hasNeverJoined({ status }: ManagedCluster): boolean {
  const available = findCondition(status?.conditions, 'ManagedClusterConditionAvailable');
  return (available?.status ?? 'Unknown') === 'Unknown' && !isConditionTrue(status?.conditions, 'ManagedClusterJoined');
}

/**
 * The condition that reports why the hub cannot prepare an accepted cluster, for example because its namespace is being deleted. Until the
 * hub has prepared the cluster, no add-on can be created there.
 */
export function unpreparedCondition({ spec, status }: ManagedCluster): Condition | undefined {
  const accepted = findCondition(status?.conditions, 'HubAcceptedManagedCluster');
  return spec.hubAcceptsClient && accepted?.status === 'False' && accepted.reason === 'Error' ? accepted : undefined;
}

function unpreparedLink(cluster: string, { message, lastTransitionTime }: Condition): Link {
  const text = `the hub cannot prepare cluster ${cluster} since ${lastTransitionTime}: ${message}`;
  return stop(text, unpreparedCommand(cluster, message));
}

/** Returns the command that shows the object that prevents the hub from preparing the cluster. */
export function unpreparedCommand(cluster: string, message: string): string {
  return message.startsWith('the namespace ')
    ? shell`kubectl describe namespace ${cluster}`
    : shell`kubectl describe managedcluster ${cluster}`;
}

/**
 * Whether the add-on is available on the cluster. If it is, an agent must be running on the cluster, even if the cluster has no conditions,
 * because agents of other vendors may not set them.
 */
function isRunning(installed: ManagedClusterAddOn | undefined): boolean {
  return isConditionTrue(installed?.status?.conditions, 'Available');
}
