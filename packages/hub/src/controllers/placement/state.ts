import type { Outcomes } from '@outrigger/kube';
import type { DecisionPageRecord } from '../../resources/decision-pages.js';
import type { SchedulingPlacementRecord } from '../../resources/scheduling-placements.js';
import type { Candidate, SheetLookup } from '../../scheduling/candidate.js';

/** Everything one pass over a Placement may look at. */
export interface PlacementState {
  readonly placement: SchedulingPlacementRecord;
  /** How many existing sets are bound to the namespace. */
  readonly bound: number;
  /** Those of them the Placement asks for, by name. */
  readonly eligible: readonly string[];
  /** The clusters of these sets, but for those that are going. */
  readonly clusters: readonly Candidate[];
  /** The pages whose label names the Placement. */
  readonly pages: readonly DecisionPageRecord[];
  /** A page by its name, whatever its label says. */
  readonly page: (name: string) => DecisionPageRecord | undefined;
  /** How often each cluster is in the decisions of all other Placements; one walk over the decisions of the hub. */
  readonly otherDecisions: () => ReadonlyMap<string, number>;
  readonly sheet: SheetLookup;
  readonly outcomes: Outcomes;
}
