import { HUB_NAMESPACE, type Lease, type ManagedCluster } from '@outrigger/api';
import { nameOf, parseTime, shell } from '@outrigger/core';

/**
 * Returns the Lease of the leading manager, which may be installed in any namespace: the one that was renewed last. Leases in the namespaces
 * of clusters are ignored, because agents write there.
 */
export function managerLease(found: readonly Lease[], clusters: readonly ManagedCluster[]): Lease | undefined {
  const names = new Set(clusters.map(nameOf));
  const renewedAt = ({ spec }: Lease): number => parseTime(spec?.renewTime) ?? 0;
  return found.filter(({ metadata }) => !names.has(metadata.namespace ?? '')).sort((a, b) => renewedAt(b) - renewedAt(a))[0];
}

export function managerNamespace(lease: Lease | undefined): string {
  return lease?.metadata.namespace ?? HUB_NAMESPACE;
}

/** Returns the command that lists the manager's pods. */
export function managerPods(lease: Lease | undefined): string {
  return shell`kubectl get pods -n ${managerNamespace(lease)} -l app.kubernetes.io/name=outrigger-hub`;
}
