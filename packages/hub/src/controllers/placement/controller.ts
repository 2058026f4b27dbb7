import { type Controller, defineController, watch } from '@outrigger/kube';
import { clusterSetBindings, clusterSets } from '../../resources/cluster-sets.js';
import { decisionPages } from '../../resources/decision-pages.js';
import { placementScores } from '../../resources/placement-scores.js';
import { schedulingClusters } from '../../resources/scheduling-clusters.js';
import { schedulingPlacements } from '../../resources/scheduling-placements.js';
import { ClusterExpressions } from '@outrigger/rules/scheduling';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { PlacementState } from './state.js';
import { wakeByBinding, wakeByCluster, wakeByPage, wakeByPlacement, wakeByScore, wakeBySet } from './wake.js';

/** Keyed by Placement: selects clusters and writes them to PlacementDecisions. */
export function placementController(): Controller<PlacementState> {
  const expressions = new ClusterExpressions();
  return defineController({
    name: 'placement',
    watches: [
      watch(schedulingPlacements, wakeByPlacement),
      watch(decisionPages, wakeByPage),
      watch(schedulingClusters, wakeByCluster),
      watch(clusterSets, wakeBySet),
      watch(clusterSetBindings, wakeByBinding),
      watch(placementScores, wakeByScore),
    ],
    observe,
    decide: (state, now) => decide(state, now, expressions),
    restFactor: 20,
  });
}
