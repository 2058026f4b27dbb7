import type { Outcomes } from '@outrigger/kube';
import type { ConfigLookup } from '@outrigger/rules/configuration';
import type { AddOnRecord, ClusterRecord, ContentRecord, DeclarationRecord, RolloutRecord } from '@outrigger/rules/observed';
import type { EntryClusters, StrategyEntry, UnknownEntry } from '@outrigger/rules/strategy';
import type { VersionCatalog } from '@outrigger/rules/versions';
import type { Departures } from './departures.js';
import type { RemovalPolicy } from './removal.js';
import type { Timings } from './stopwatch.js';

/** An entry of the strategy with the clusters that it selects. */
export interface EntryObservation extends EntryClusters {
  readonly entry: StrategyEntry;
  readonly unknown: UnknownEntry | undefined;
}

/** The input of one pass over a ClusterManagementAddOn. */
export interface FleetState {
  readonly declaration: DeclarationRecord;
  readonly rollout: RolloutRecord | undefined;
  readonly entries: readonly EntryObservation[];
  /** Every ManagedClusterAddOn of this name. */
  readonly addOns: readonly AddOnRecord[];
  readonly cluster: (name: string) => ClusterRecord | undefined;
  readonly catalog: VersionCatalog;
  readonly configs: ConfigLookup;
  /** The stored content (ControllerRevisions) that this ClusterManagementAddOn owns. */
  readonly contents: readonly ContentRecord[];
  readonly storedContent: (specHash: string) => ContentRecord | undefined;
  /** A dependency cycle that includes this add-on. */
  readonly cycle: readonly string[] | undefined;
  /** Clusters that no entry selected in the last pass. */
  readonly departures: Departures;
  /** The start times of soaks, moves and absences that this process has observed; undefined before the first. */
  readonly timings: Timings | undefined;
  readonly removal: RemovalPolicy;
  readonly outcomes: Outcomes;
  /** The renderer of new revisions. */
  readonly renderer: number;
  /** The namespace of stored content. */
  readonly contentNamespace: string;
}
