import type { Outcomes } from '@outrigger/kube';
import type { DecisionPageProjection } from '../../resources/decision-pages.js';
import type { SchedulingPlacementProjection } from '../../resources/scheduling-placements.js';
import type { Candidate, SheetLookup } from '@outrigger/rules/scheduling';

/** The input of one pass over a Placement. */
export interface PlacementState {
  readonly placement: SchedulingPlacementProjection;
  /** The number of existing cluster sets that are bound to the namespace. */
  readonly bound: number;
  /** The names of the bound sets that the Placement references. */
  readonly eligible: readonly string[];
  /** The clusters of the sets in `eligible`, without the clusters that are being deleted. */
  readonly clusters: readonly Candidate[];
  /** The PlacementDecisions whose label names the Placement. */
  readonly pages: readonly DecisionPageProjection[];
  /** Returns a PlacementDecision by its name, whatever its label. */
  readonly page: (name: string) => DecisionPageProjection | undefined;
  /**
   * Returns, for each cluster, how many PlacementDecisions of other Placements contain it. Each call reads all PlacementDecisions on the
   * hub.
   */
  readonly otherDecisions: () => ReadonlyMap<string, number>;
  readonly sheet: SheetLookup;
  readonly outcomes: Outcomes;
}
