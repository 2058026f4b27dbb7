import type { RolloutStrategy } from '@outrigger/api';
import type { Outcomes } from '@outrigger/kube';
import type { DecidedClusters } from '@outrigger/rules/strategy';
import type { ReplicaSetProjection } from '../../resources/replica-sets.js';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';
import type { SeenWorks } from './soak.js';

/** A Placement that the set references, with the clusters it selects. */
export interface ObservedPlacement {
  readonly name: string;
  readonly strategy: RolloutStrategy | undefined;
  /** Why the selected clusters are not known. Until they are known, no work of the Placement is created, changed or deleted. */
  readonly unknown: UnknownPlacement | undefined;
  readonly decided: DecidedClusters;
  /**
   * Whether the scheduler is writing the first decision of the Placement. Clusters that are missing in it may follow, so the works of such
   * clusters stay.
   */
  readonly isFirstDecision: boolean;
  readonly clustersPerGroup: number | string | undefined;
}

export interface UnknownPlacement {
  readonly reason: 'PlacementDecisionNotFound' | 'NotAsExpected';
  readonly message: string;
}

/** The input of one pass over a ManifestWorkReplicaSet. */
export interface ReplicaSetState {
  readonly set: ReplicaSetProjection;
  /** The referenced Placements in the order of the spec, each listed once. */
  readonly placements: readonly ObservedPlacement[];
  readonly works: readonly ReplicaSetWorkProjection[];
  readonly outcomes: Outcomes;
  /** The works that earlier passes of this process have observed. */
  readonly seen: SeenWorks;
}
