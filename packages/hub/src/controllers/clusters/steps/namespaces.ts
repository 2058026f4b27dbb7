import type { ManagedNamespace } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import type { ClusterSetProjection } from '../../../resources/cluster-sets.js';
import type { ClusterState } from '../state.js';

/**
 * Returns the namespaces that the cluster's sets request, sorted by set and name, or undefined if the status already lists exactly these.
 * Keeps the conditions that the agent wrote for a namespace.
 */
export function managedNamespaces({ cluster, askingSets }: ClusterState): readonly ManagedNamespace[] | undefined {
  const known = new Map(cluster.managedNamespaces.map((namespace) => [idOf(namespace), namespace]));
  const wanted = askingSets
    .flatMap(({ key, namespaces }: ClusterSetProjection) => namespaces.map((name) => ({ name, clusterSet: key.name })))
    .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    .map((namespace) => known.get(idOf(namespace)) ?? namespace);
  return deepEqual(wanted, cluster.managedNamespaces) ? undefined : wanted;
}

function idOf({ clusterSet, name }: Pick<ManagedNamespace, 'clusterSet' | 'name'>): string {
  return `${clusterSet}/${name}`;
}
