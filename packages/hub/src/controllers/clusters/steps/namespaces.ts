import type { ManagedNamespace } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import type { ClusterSetRecord } from '../../../resources/cluster-sets.js';
import type { ClusterState } from '../state.js';

/**
 * The namespaces that the sets of the cluster request, sorted by set and name; undefined if the status lists exactly these. Conditions that
 * the agent wrote for a namespace are kept.
 */
export function managedNamespaces({ cluster, askingSets }: ClusterState): readonly ManagedNamespace[] | undefined {
  const known = new Map(cluster.managedNamespaces.map((namespace) => [idOf(namespace), namespace]));
  const wanted = askingSets
    .flatMap(({ key, namespaces }: ClusterSetRecord) => namespaces.map((name) => ({ name, clusterSet: key.name })))
    .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    .map((namespace) => known.get(idOf(namespace)) ?? namespace);
  return deepEqual(wanted, cluster.managedNamespaces) ? undefined : wanted;
}

function idOf({ clusterSet, name }: Pick<ManagedNamespace, 'clusterSet' | 'name'>): string {
  return `${clusterSet}/${name}`;
}
