import {
  CLUSTER_LEASE_NAME,
  REGISTRATION_ROLE,
  WORK_ROLE,
  clusterRoleName,
  registrationBindingName,
  workBindingName,
} from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import type { CacheView, Outcomes } from '@outrigger/kube';
import { clusterAddOns, clusterWorks } from '../../resources/cluster-contents.js';
import { clusterLeases } from '../../resources/cluster-leases.js';
import { type ClusterLifecycleRecord, clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import {
  LEFT_BEHIND_NAME,
  clusterNamespaces,
  clusterRoleBindingRecords,
  clusterRoleRecords,
  leftBehind,
  roleBindingRecords,
} from '../../resources/cluster-rights.js';
import { type ClusterSetRecord, clusterSets } from '../../resources/cluster-sets.js';
import { isMember } from '../../scheduling/cluster-set.js';
import type { ClusterOptions, ClusterState, ObservedRights } from './state.js';

/** Reads everything a pass over a ManagedCluster looks at, in one turn. */
export function observe(view: CacheView, key: ObjectKey, outcomes: Outcomes, options: ClusterOptions): ClusterState | undefined {
  const cluster = view.get(clusterLifecycles, key);
  if (!cluster) return undefined;
  const { name } = key;
  return {
    cluster,
    isLast: isOnly(view, name),
    namespace: view.get(clusterNamespaces, { name }),
    rights: rightsOf(view, name),
    lease: view.get(clusterLeases, { namespace: name, name: CLUSTER_LEASE_NAME }),
    addOns: view.byIndex(clusterAddOns, 'cluster', name),
    works: view.byIndex(clusterWorks, 'cluster', name),
    leftBehind: view.get(leftBehind, { namespace: name, name: LEFT_BEHIND_NAME }),
    askingSets: askingSets(view, cluster),
    options,
    outcomes,
  };
}

function askingSets(view: CacheView, { labels }: ClusterLifecycleRecord): readonly ClusterSetRecord[] {
  return view.byIndex(clusterSets, 'asks', 'namespaces').filter(({ key, selector }) => isMember({ name: key.name, selector }, labels));
}

function isOnly(view: CacheView, name: string): boolean {
  for (const { key } of view.list(clusterLifecycles)) if (key.name !== name) return false;
  return true;
}

function rightsOf(view: CacheView, cluster: string): ObservedRights {
  return {
    role: view.get(clusterRoleRecords, { name: clusterRoleName(cluster) }),
    binding: view.get(clusterRoleBindingRecords, { name: clusterRoleName(cluster) }),
    registrationBinding: view.get(roleBindingRecords, { namespace: cluster, name: registrationBindingName(cluster) }),
    workBinding: view.get(roleBindingRecords, { namespace: cluster, name: workBindingName(cluster) }),
    registrationRole: view.get(clusterRoleRecords, { name: REGISTRATION_ROLE }),
    workRole: view.get(clusterRoleRecords, { name: WORK_ROLE }),
  };
}
