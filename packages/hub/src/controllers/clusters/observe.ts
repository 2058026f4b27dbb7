import {
  CLUSTER_LEASE_NAME,
  CLUSTER_NAME_LABEL,
  REGISTRATION_ROLE,
  WORK_ROLE,
  clusterRoleName,
  registrationBindingName,
  workBindingName,
} from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import type { CacheView, KeyMemory } from '@outrigger/kube';
import { readIdentity } from '../../registration/agent-identity.js';
import { clusterAddOns, clusterWorks } from '../../resources/cluster-leftovers.js';
import { clusterLeases } from '../../resources/cluster-leases.js';
import { type LifecycleProjection, clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import {
  LEFT_BEHIND_NAME,
  type NamespaceProjection,
  clusterNamespaces,
  agentClusterBindings,
  agentRoles,
  leftBehind,
  agentBindings,
} from '../../resources/cluster-rights.js';
import { type ClusterSetProjection, clusterSets } from '../../resources/cluster-sets.js';
import { isMember } from '@outrigger/rules/scheduling';
import type { ClusterMemory, ClusterOptions, ClusterState, GoneState, ObservedRights } from './state.js';

export interface ObserveOptions {
  readonly options: ClusterOptions;
  /**
   * Names of clusters whose ManagedCluster disappeared before the hub removed its own finalizers. The pass over a cluster adds or removes
   * the name of this cluster.
   */
  readonly goneClusters: Set<string>;
}

/** Reads all inputs of a pass over a ManagedCluster in one synchronous turn. */
export function observe(
  view: CacheView,
  key: ObjectKey,
  memory: KeyMemory<ClusterMemory>,
  { options, goneClusters }: ObserveOptions,
): ClusterState | GoneState | undefined {
  const cluster = view.get(clusterLifecycles, key);
  const { name } = key;
  const namespace = view.get(clusterNamespaces, { name });
  if (cluster) {
    goneClusters.delete(name);
    const rememberedLease = memory.remembered?.lease;
    return {
      ...leftoversOf(view, name),
      cluster,
      namespace,
      rememberedLease,
      askingSets: askingSets(view, cluster),
      options,
      outcomes: memory,
    };
  }
  const leftovers = leftoversOf(view, name);
  const { remembered = {} } = memory;
  const base = { ...leftovers, cluster: undefined, name, options, outcomes: memory };
  if (namespace?.isDeleting && leftovers.rights.workBinding) {
    goneClusters.delete(name);
    return { ...base, namespace, goneSince: undefined, goneCount: 0, livingCount: 0 };
  }
  if (!namespace || !mayBeCleared(namespace, remembered) || !hasLeftovers(leftovers, namespace)) {
    goneClusters.delete(name);
    return undefined;
  }
  goneClusters.add(name);
  const counts = { goneSince: remembered.goneSince, goneCount: goneClusters.size, livingCount: [...view.list(clusterLifecycles)].length };
  return { ...base, ...counts, namespace };
}

/**
 * Whether the hub may remove the objects in the Namespace of a cluster that has no ManagedCluster. The hub must have created the Namespace,
 * and the ManagedCluster must have existed: either this process has observed the ManagedCluster, or the identity record names the current
 * uid of the Namespace. A restore from a backup creates Namespaces with new uids before their ManagedClusters, so such Namespaces are not
 * cleared.
 */
function mayBeCleared({ key, uid, labels, isMade, isDeleting, identity }: NamespaceProjection, { wasSeen }: ClusterMemory): boolean {
  if (!isMade || isDeleting || labels[CLUSTER_NAME_LABEL] !== key.name) return false;
  return wasSeen === true || readIdentity(identity)?.namespace === uid;
}

function hasLeftovers({ addOns, works, lease, rights }: ClusterLeftovers, { identity }: NamespaceProjection): boolean {
  const own = [lease, rights.role, rights.binding, rights.registrationBinding, rights.workBinding];
  const record = readIdentity(identity);
  return (
    addOns.length + works.length > 0 || own.some((one) => one !== undefined) || (record !== undefined && record.detached === undefined)
  );
}

type ClusterLeftovers = Pick<ClusterState, 'isLast' | 'rights' | 'lease' | 'addOns' | 'works' | 'leftBehind'>;

function leftoversOf(view: CacheView, name: string): ClusterLeftovers {
  return {
    isLast: isOnly(view, name),
    rights: rightsOf(view, name),
    lease: view.get(clusterLeases, { namespace: name, name: CLUSTER_LEASE_NAME }),
    addOns: view.byIndex(clusterAddOns, 'cluster', name),
    works: view.byIndex(clusterWorks, 'cluster', name),
    leftBehind: view.get(leftBehind, { namespace: name, name: LEFT_BEHIND_NAME }),
  };
}

function askingSets(view: CacheView, { labels }: LifecycleProjection): readonly ClusterSetProjection[] {
  return view.byIndex(clusterSets, 'asks', 'namespaces').filter(({ key, selector }) => isMember({ name: key.name, selector }, labels));
}

function isOnly(view: CacheView, name: string): boolean {
  for (const { key } of view.list(clusterLifecycles)) if (key.name !== name) return false;
  return true;
}

function rightsOf(view: CacheView, cluster: string): ObservedRights {
  return {
    role: view.get(agentRoles, { name: clusterRoleName(cluster) }),
    binding: view.get(agentClusterBindings, { name: clusterRoleName(cluster) }),
    registrationBinding: view.get(agentBindings, { namespace: cluster, name: registrationBindingName(cluster) }),
    workBinding: view.get(agentBindings, { namespace: cluster, name: workBindingName(cluster) }),
    registrationRole: view.get(agentRoles, { name: REGISTRATION_ROLE }),
    workRole: view.get(agentRoles, { name: WORK_ROLE }),
  };
}
