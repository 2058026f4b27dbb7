import type { ClusterRecord } from '../observed/clusters.js';
import type { DecisionRecord, PlacementRecord } from '../observed/placements.js';

/** The objects that an install strategy reads, each found by an index. */
export interface StrategyLookups {
  /** The Placement with this `namespace/name`. */
  placement(key: string): PlacementRecord | undefined;
  /** The decisions of the Placement with this `namespace/name`. */
  pages(placement: string): readonly DecisionRecord[];
  /** The PlacementDecisions that contain a cluster. */
  pagesWith(cluster: string): readonly DecisionRecord[];
  cluster(name: string): ClusterRecord | undefined;
  clusters(): Iterable<ClusterRecord>;
}
