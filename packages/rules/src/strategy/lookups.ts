import type { ClusterProjection } from '../observed/clusters.js';
import type { PlacementDecisionProjection, PlacementProjection } from '../observed/placements.js';

/** The objects that an install strategy reads, each found by an index. */
export interface StrategyLookups {
  /** The Placement with this `namespace/name`. */
  placement(key: string): PlacementProjection | undefined;
  /** The PlacementDecisions of the Placement with this `namespace/name`. */
  pages(placement: string): readonly PlacementDecisionProjection[];
  /** The PlacementDecisions that contain a cluster. */
  pagesWith(cluster: string): readonly PlacementDecisionProjection[];
  cluster(name: string): ClusterProjection | undefined;
  clusters(): Iterable<ClusterProjection>;
}
