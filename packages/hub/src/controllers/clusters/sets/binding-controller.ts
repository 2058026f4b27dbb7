import { type ClusterSetBindingCondition, managedClusterSetBindings } from '@outrigger/api';
import { type ObjectKey, setCondition } from '@outrigger/core';
import { type CacheView, type Controller, type Decision, type Now, defineController, watch } from '@outrigger/kube';
import { patchObservedStatus } from '../../observed-actions.js';
import { type SetBindingProjection, clusterSetBindings, clusterSets } from '../../../resources/cluster-sets.js';

export interface ClusterSetBindingState {
  readonly binding: SetBindingProjection;
  readonly isSetThere: boolean;
}

/** Keyed by ManagedClusterSetBinding: reports whether the set that it names exists. */
export function clusterSetBindingController(): Controller<ClusterSetBindingState> {
  return defineController({
    name: 'cluster-set-bindings',
    watches: [
      watch(clusterSetBindings, ({ after }) => (after ? [after.key] : [])),
      watch(clusterSets, ({ before, after }, view) => {
        if (before && after) return [];
        return view.byIndex(clusterSetBindings, 'set', (after ?? before)?.key.name ?? '').map(({ key }) => key);
      }),
    ],
    observe(view: CacheView, key: ObjectKey): ClusterSetBindingState | undefined {
      const binding = view.get(clusterSetBindings, key);
      return binding && { binding, isSetThere: view.get(clusterSets, { name: key.name }) !== undefined };
    },
    decide: decideBinding,
  });
}

/** Decides one pass over a ManagedClusterSetBinding. */
export function decideBinding({ binding, isSetThere }: ClusterSetBindingState, now: Now): Decision {
  const { key, generation } = binding;
  if (binding.isDeleting) return { stages: [] };
  const conditions = setCondition(binding.conditions, boundCondition(key.name, isSetThere), { generation, now: now.time });
  if (conditions === binding.conditions) return { stages: [] };
  return { stages: [[patchObservedStatus(binding, managedClusterSetBindings, 'status', { conditions })]] };
}

function boundCondition(set: string, isSetThere: boolean): ClusterSetBindingCondition {
  if (isSetThere) return { type: 'Bound', status: 'True', reason: 'ClusterSetBound', message: '' };
  return { type: 'Bound', status: 'False', reason: 'ClusterSetNotFound', message: `ManagedClusterSet ${set} does not exist` };
}
