import { type Controller, defineController, watch } from '@outrigger/kube';
import { clusterAddOns, clusterWorks } from '../../resources/cluster-leftovers.js';
import { clusterLeases } from '../../resources/cluster-leases.js';
import { clusterLifecycles } from '../../resources/cluster-lifecycle.js';
import {
  clusterNamespaces,
  clusterRoleBindingRecords,
  clusterRoleRecords,
  leftBehind,
  roleBindingRecords,
} from '../../resources/cluster-rights.js';
import { clusterSets } from '../../resources/cluster-sets.js';
import { decide } from './decide.js';
import { RECORD_LEFT_BEHIND, recordLeftBehind } from './left-behind.js';
import { CONFIRM_GONE, GoneClusters, confirmGone } from './gone.js';
import { RECHECK, recheck, NO_WORKS_LEFT, noWorksLeft } from './recheck.js';
import { observe } from './observe.js';
import type { ClusterOptions, ClusterState, GoneState } from './state.js';
import { wakeByCluster, wakeByContent, wakeByNamespace, wakeByRight, wakeBySet, wakeByWork } from './wake.js';

/** Keyed by ManagedCluster: acceptance, namespace, rights, lease, taints and labels, and the cleanup when the cluster is deleted. */
export function clusterController(options: ClusterOptions = {}): Controller<ClusterState | GoneState> {
  const gone = new GoneClusters();
  return defineController({
    name: 'clusters',
    watches: [
      watch(clusterLifecycles, wakeByCluster),
      watch(clusterNamespaces, wakeByNamespace),
      watch(clusterRoleRecords, wakeByRight),
      watch(clusterRoleBindingRecords, wakeByRight),
      watch(roleBindingRecords, wakeByRight),
      watch(clusterLeases, wakeByContent),
      watch(clusterAddOns, wakeByContent),
      watch(clusterWorks, wakeByWork),
      watch(leftBehind, wakeByContent),
      watch(clusterSets, wakeBySet),
    ],
    observe: (view, key, outcomes) => observe(view, key, outcomes, { options, gone }),
    decide,
    effects: {
      [RECORD_LEFT_BEHIND]: recordLeftBehind,
      [RECHECK]: recheck,
      [NO_WORKS_LEFT]: noWorksLeft,
      [CONFIRM_GONE]: confirmGone(gone),
    },
  });
}
