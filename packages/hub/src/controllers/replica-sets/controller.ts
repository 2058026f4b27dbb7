import { type Controller, type Source, type Watch, defineController, watch } from '@outrigger/kube';
import { decisions, placements } from '../../resources/placements.js';
import { replicaSets } from '../../resources/replica-sets.js';
import { replicaSetWorks } from '../../resources/replica-set-works.js';
import { STATUS } from './actions.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { ReplicaSetState } from './state.js';
import { wakeByDecision, wakeByPlacement, wakeBySet, wakeByWork } from './wake.js';

/** The watches of the kind itself. */
export const OWN_WATCHES: readonly Watch[] = [watch(replicaSets, wakeBySet), watch(replicaSetWorks, wakeByWork)];

/**
 * Adds the watches of the kind while the manager runs. A hub whose definitions or rights are older than its manager cannot read the kind;
 * the other controllers must not wait for it.
 */
const whenServed: Source = {
  start(context) {
    const { view } = context;
    const wakeAll = (): void => {
      if (!OWN_WATCHES.every(({ resource }) => view.isComplete(resource))) return;
      for (const { key } of view.list(replicaSets)) context.wake(key);
    };
    const stops = OWN_WATCHES.map((own) => context.watch(own, wakeAll));
    return () => {
      for (const stop of stops) stop();
    };
  },
};

/** Keyed by ManifestWorkReplicaSet: creates the same ManifestWork for every cluster that its Placements select. */
export function replicaSetController(): Controller<ReplicaSetState> {
  return defineController({
    name: 'replica-sets',
    watches: [watch(placements, wakeByPlacement), watch(decisions, wakeByDecision)],
    sources: [whenServed],
    observe,
    decide,
    restFactor: 20,
    timedActions: [STATUS],
  });
}
