import type { ObjectKey, Projected } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import type { ClusterLeaseProjection } from '../../resources/cluster-leases.js';
import type { ClusterLeftoverProjection } from '../../resources/cluster-leftovers.js';
import { type LifecycleProjection, clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import type { ClusterSetProjection } from '../../resources/cluster-sets.js';
import { isMember } from '@outrigger/rules/scheduling';
import { type RightsBindingProjection, type RoleProjection, clusterNamespaces } from '../../resources/cluster-rights.js';
import { isRoutineRenewal } from './steps/lease.js';

/** Each function returns the clusters to wake for a change. */

/** Wakes a deleted cluster too, because some of its objects may remain. */
export function wakeByCluster({ before, after }: Change<LifecycleProjection>): ObjectKey[] {
  const projection = after ?? before;
  return projection ? [projection.key] : [];
}

/** Wakes the cluster of a namespace, which has the same name. */
export function wakeByNamespace({ before, after }: Change<Projected>): ObjectKey[] {
  const projection = after ?? before;
  return projection ? [{ name: projection.key.name }] : [];
}

/** Wakes the cluster of an object in its namespace: an add-on, or the ConfigMap that lists the objects left behind. */
export function wakeByLeftover({ before, after }: Change<Projected>): ObjectKey[] {
  const projection = after ?? before;
  return projection ? [{ name: projection.key.namespace ?? '' }] : [];
}

/**
 * A change of a Lease wakes its cluster unless the change is a routine renewal (`isRoutineRenewal`). Routine renewals are frequent, because
 * every agent renews its Lease once a minute.
 */
export function wakeByLease({ before, after }: Change<ClusterLeaseProjection>, view: CacheView): ObjectKey[] {
  const { namespace: name = '' } = (after ?? before)?.key ?? {};
  const cluster = view.get(clusterLifecycles, { name });
  return cluster && before && after && isRoutineRenewal(cluster, before, after) ? [] : [{ name }];
}

/**
 * A work wakes its cluster only if the work can delay a step, that is, if the cluster does not exist, is being deleted or is not accepted,
 * or if its namespace is being deleted.
 */
export function wakeByWork({ before, after }: Change<ClusterLeftoverProjection>, view: CacheView): ObjectKey[] {
  const { namespace: name = '' } = (after ?? before)?.key ?? {};
  const cluster = view.get(clusterLifecycles, { name });
  const canDelay = !cluster || cluster.isDeleting || !cluster.accepts || view.get(clusterNamespaces, { name })?.isDeleting;
  return canDelay ? [{ name }] : [];
}

/**
 * Wakes the cluster for which the role or binding was created. A shared role or binding wakes one accepted cluster, whose pass restores it.
 * If there is no accepted cluster, a shared role or binding wakes the clusters that are being deleted, because the last of them removes the
 * shared roles.
 */
export function wakeByRight({ before, after }: Change<RoleProjection | RightsBindingProjection>, view: CacheView): ObjectKey[] {
  const { cluster = '' } = after ?? before ?? {};
  if (cluster !== '') return [{ name: cluster }];
  const leaving: ObjectKey[] = [];
  for (const { key, accepts, isDeleting } of view.list(clusterLifecycles)) {
    if (accepts && !isDeleting) return [key];
    if (isDeleting) leaving.push(key);
  }
  return leaving;
}

/**
 * Wakes the clusters of a cluster set that requests namespaces or did so before the change, and the clusters that still have namespaces
 * from the set.
 */
export function wakeBySet({ before, after }: Change<ClusterSetProjection>, view: CacheView): ObjectKey[] {
  const asking = [before, after].filter((set) => set !== undefined && set.namespaces.length > 0);
  const [set] = asking;
  if (!set) return [];
  const had = view.byIndex(clusterLifecycles, 'namespacesOf', set.key.name);
  return [...new Map([...had, ...asking.flatMap((one) => (one ? membersOf(one, view) : []))].map(({ key }) => [key.name, key])).values()];
}

function membersOf({ key, selector }: ClusterSetProjection, view: CacheView): readonly LifecycleProjection[] {
  if ((selector.selectorType ?? 'ExclusiveClusterSetLabel') === 'ExclusiveClusterSetLabel') {
    return view.byIndex(clusterLifecycles, 'set', key.name);
  }
  return [...view.list(clusterLifecycles)].filter(({ labels }) => isMember({ name: key.name, selector }, labels));
}
