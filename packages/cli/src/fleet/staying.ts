import { type ClusterManagementAddOn, type ManagedCluster, type ManagedClusterAddOn } from '@outrigger/api';
import { shell, nameOf } from '@outrigger/core';
import { CommandError, EXIT } from '../failure.js';

/** Fails if the cluster is being detached, because nothing that is started there would last. */
export function requireStayingCluster(cluster: ManagedCluster): void {
  const name = nameOf(cluster);
  refuseDeleted(
    cluster,
    (since) =>
      `cluster ${name} is leaving the fleet${since}: wait until it is gone, then \`${shell`outrigger join ${name}`}\` lets it join again`,
  );
}

/** Fails if the add-on is being removed from the cluster, because the change would have no effect. */
export function requireStayingAddOn(clusterAddOn: ManagedClusterAddOn): void {
  const { name = '', namespace = '' } = clusterAddOn.metadata;
  refuseDeleted(
    clusterAddOn,
    (since) =>
      `${name} is being removed from ${namespace}${since}: wait until it is gone; \`${shell`outrigger why ${name} --cluster ${namespace}`}\` shows what it waits for`,
  );
}

/** Fails if the declaration is being deleted, because its add-ons are removed whatever its spec requests. */
export function requireStayingDeclaration(managementAddOn: ClusterManagementAddOn): void {
  const name = nameOf(managementAddOn);
  refuseDeleted(
    managementAddOn,
    (since) => `the declaration of ${name} is being deleted${since}: wait until it is gone, then declare it again`,
  );
}

function refuseDeleted(
  { metadata: { deletionTimestamp } }: ManagedCluster | ManagedClusterAddOn | ClusterManagementAddOn,
  text: (since: string) => string,
): void {
  if (deletionTimestamp !== undefined) throw new CommandError(text(` since ${deletionTimestamp}`), EXIT.failed);
}
