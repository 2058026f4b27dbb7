import { type Controller, defineController, watch } from '@outrigger/kube';
import { decisions, placements } from '../../resources/placements.js';
import { replicaSets } from '../../resources/replica-sets.js';
import { replicaSetWorks } from '../../resources/replica-set-works.js';
import { STATUS } from './actions.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { SeenWorks } from './soak.js';
import type { ReplicaSetState } from './state.js';
import { wakeByDecision, wakeByPlacement, wakeBySet, wakeByWork } from './wake.js';

/** Keyed by ManifestWorkReplicaSet: creates the same ManifestWork for every cluster that its Placements select. */
export function replicaSetController(): Controller<ReplicaSetState, SeenWorks> {
  return defineController<ReplicaSetState, SeenWorks>({
    name: 'replica-sets',
    watches: [
      watch(replicaSets, wakeBySet),
      watch(replicaSetWorks, wakeByWork),
      watch(placements, wakeByPlacement),
      watch(decisions, wakeByDecision),
    ],
    observe,
    decide,
    restFactor: 20,
    timedActions: [STATUS],
  });
}
