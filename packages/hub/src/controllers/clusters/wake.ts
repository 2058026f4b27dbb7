import type { ObjectKey } from '@outrigger/core';
import type { CacheView, Change, Projected } from '@outrigger/kube';
import type { ClusterContentRecord } from '../../resources/cluster-contents.js';
import { type ClusterLifecycleRecord, clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import type { ClusterSetRecord } from '../../resources/cluster-sets.js';
import { isMember } from '../../scheduling/cluster-set.js';
import type { RightsBindingRecord, RoleRecord } from '../../resources/cluster-rights.js';

/** Which clusters a change is news for. */

/** Also when it is gone: it may have left something. */
export function wakeByCluster({ before, after }: Change<ClusterLifecycleRecord>): ObjectKey[] {
  const record = after ?? before;
  return record ? [record.key] : [];
}

/** The namespace of a cluster has its name. */
export function wakeByNamespace({ before, after }: Change<Projected>): ObjectKey[] {
  const record = after ?? before;
  return record ? [{ name: record.key.name }] : [];
}

/** What lies in the namespace of a cluster: its lease, its add-ons, the record of what it left behind. */
export function wakeByContent({ before, after }: Change<Projected>): ObjectKey[] {
  const record = after ?? before;
  return record ? [{ name: record.key.namespace ?? '' }] : [];
}

/** Works matter only where they are in the way: while the cluster is gone or going, or has been denied. */
export function wakeByWork({ before, after }: Change<ClusterContentRecord>, view: CacheView): ObjectKey[] {
  const { namespace: name = '' } = (after ?? before)?.key ?? {};
  const cluster = view.get(clusterLifecycles, { name });
  return !cluster || cluster.isDeleting || !cluster.accepts ? [{ name }] : [];
}

/** The cluster it was made for; if it is one all share, any cluster can put it right. */
export function wakeByRight({ before, after }: Change<RoleRecord | RightsBindingRecord>, view: CacheView): ObjectKey[] {
  const { cluster = '' } = after ?? before ?? {};
  if (cluster !== '') return [{ name: cluster }];
  for (const { key, accepts, isDeleting } of view.list(clusterLifecycles)) if (accepts && !isDeleting) return [key];
  return [];
}

/** A set that asks for namespaces, or did: its clusters, and those that still have namespaces of it. */
export function wakeBySet({ before, after }: Change<ClusterSetRecord>, view: CacheView): ObjectKey[] {
  const asking = [before, after].filter((set) => set !== undefined && set.namespaces.length > 0);
  const [set] = asking;
  if (!set) return [];
  const had = view.byIndex(clusterLifecycles, 'namespacesOf', set.key.name);
  return [...new Map([...had, ...asking.flatMap((one) => (one ? membersOf(one, view) : []))].map(({ key }) => [key.name, key])).values()];
}

function membersOf({ key, selector }: ClusterSetRecord, view: CacheView): readonly ClusterLifecycleRecord[] {
  if ((selector.selectorType ?? 'ExclusiveClusterSetLabel') === 'ExclusiveClusterSetLabel') {
    return view.byIndex(clusterLifecycles, 'set', key.name);
  }
  return [...view.list(clusterLifecycles)].filter(({ labels }) => isMember({ name: key.name, selector }, labels));
}
