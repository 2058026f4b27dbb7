import type { Outcomes } from '@outrigger/kube';
import type { DecisionPageRecord } from '../../resources/decision-pages.js';
import type { SchedulingPlacementRecord } from '../../resources/scheduling-placements.js';
import type { Candidate, SheetLookup } from '@outrigger/rules/scheduling';

/** The input of one pass over a Placement. */
export interface PlacementState {
  readonly placement: SchedulingPlacementRecord;
  /** How many existing cluster sets are bound to the namespace. */
  readonly bound: number;
  /** The names of the bound sets that the Placement references. */
  readonly eligible: readonly string[];
  /** The clusters of these sets, without those that are being deleted. */
  readonly clusters: readonly Candidate[];
  /** The pages whose label names the Placement. */
  readonly pages: readonly DecisionPageRecord[];
  /** A page by its name, regardless of its label. */
  readonly page: (name: string) => DecisionPageRecord | undefined;
  /** How often each cluster is in the decisions of all other Placements. Each call reads all decisions of the hub. */
  readonly otherDecisions: () => ReadonlyMap<string, number>;
  readonly sheet: SheetLookup;
  readonly outcomes: Outcomes;
}
