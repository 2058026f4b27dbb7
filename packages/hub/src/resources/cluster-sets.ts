import {
  CLUSTER_SET_AUTO_UPDATE_ANNOTATION,
  type ClusterSetSelector,
  type ManagedClusterSet,
  type ManagedClusterSetBinding,
  managedClusterSetBindings,
  managedClusterSets,
} from '@outrigger/api';
import type { Condition, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, generationOf, isDeleting } from '@outrigger/rules/observed';

/** A ManagedClusterSet. */
export interface ClusterSetProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly selector: ClusterSetSelector;
  /** The namespaces that the set requests on its clusters. */
  readonly namespaces: readonly string[];
  /** Whether a user has disabled updates to a built-in set. */
  readonly isFrozen: boolean;
  readonly conditions: readonly Condition[];
}

/** Indexed by selector type. Every set with a label selector must be tested to find the sets that select a cluster. */
export const clusterSets: Resource<ClusterSetProjection, 'selectorType' | 'asks'> = {
  name: 'cluster-sets',
  api: HUB,
  kind: managedClusterSets,
  project(object, intern) {
    const set = object as ManagedClusterSet;
    return {
      generation: generationOf(set),
      isDeleting: isDeleting(set),
      selector: intern(set.spec?.clusterSelector ?? {}),
      namespaces: intern((set.spec?.managedNamespaces ?? []).map(({ name }) => name)),
      isFrozen: set.metadata.annotations?.[CLUSTER_SET_AUTO_UPDATE_ANNOTATION] === 'false',
      conditions: intern(set.status?.conditions ?? []),
      ...base(set, intern),
    };
  },
  indexes: {
    selectorType: ({ selector }) => [selector.selectorType ?? 'ExclusiveClusterSetLabel'],
    asks: ({ namespaces, isDeleting: isGoing }) => (namespaces.length > 0 && !isGoing ? ['namespaces'] : []),
  },
};

/** A ManagedClusterSetBinding, which has the name of its set. */
export interface SetBindingProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly conditions: readonly Condition[];
}

export const clusterSetBindings: Resource<SetBindingProjection, 'namespace' | 'set'> = {
  name: 'cluster-set-bindings',
  api: HUB,
  kind: managedClusterSetBindings,
  project(object, intern) {
    const binding = object as ManagedClusterSetBinding;
    return {
      generation: generationOf(binding),
      isDeleting: isDeleting(binding),
      conditions: intern(binding.status?.conditions ?? []),
      ...base(binding, intern),
    };
  },
  indexes: {
    namespace: ({ key }) => [key.namespace ?? ''],
    set: ({ key }) => [key.name],
  },
};
