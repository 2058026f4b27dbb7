import { type Controller, defineController, watch } from '@outrigger/kube';
import { clusterAddOns, clusterWorks } from '../../resources/cluster-leftovers.js';
import { clusterLeases } from '../../resources/cluster-leases.js';
import { clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import { clusterNamespaces, agentClusterBindings, agentRoles, leftBehind, agentBindings } from '../../resources/cluster-rights.js';
import { clusterSets } from '../../resources/cluster-sets.js';
import { decide } from './decide.js';
import type { ClusterEffects } from './actions.js';
import { recordLeftBehind } from './left-behind.js';
import { confirmGone } from './gone.js';
import { namespaceStays, noWorksLeft, recheck } from './recheck.js';
import { observe } from './observe.js';
import type { ClusterMemory, ClusterOptions, ClusterState, GoneState } from './state.js';
import { wakeByCluster, wakeByLease, wakeByLeftover, wakeByNamespace, wakeByRight, wakeBySet, wakeByWork } from './wake.js';

/**
 * Keyed by ManagedCluster: maintains acceptance, namespace, permissions, lease, taints and labels, and cleans up when the cluster is
 * deleted.
 */
export function clusterController(options: ClusterOptions = {}): Controller<ClusterState | GoneState, ClusterMemory, ClusterEffects> {
  const goneClusters = new Set<string>();
  return defineController({
    name: 'clusters',
    watches: [
      watch(clusterLifecycles, wakeByCluster),
      watch(clusterNamespaces, wakeByNamespace),
      watch(agentRoles, wakeByRight),
      watch(agentClusterBindings, wakeByRight),
      watch(agentBindings, wakeByRight),
      watch(clusterLeases, wakeByLease),
      watch(clusterAddOns, wakeByLeftover),
      watch(clusterWorks, wakeByWork),
      watch(leftBehind, wakeByLeftover),
      watch(clusterSets, wakeBySet),
    ],
    observe: (view, key, memory) => observe(view, key, memory, { options, goneClusters }),
    decide,
    effects: {
      'confirm-gone': confirmGone,
      'look-again': recheck,
      'namespace-stays': namespaceStays,
      'no-works-left': noWorksLeft,
      'record-left-behind': recordLeftBehind,
    },
  });
}
