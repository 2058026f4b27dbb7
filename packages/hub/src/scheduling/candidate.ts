import type { ClusterTaint } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';

/** A cluster that may be chosen. */
export interface Candidate {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly ClusterTaint[];
  readonly allocatable: Readonly<Record<string, number | string>>;
  readonly capacity: Readonly<Record<string, number | string>>;
  /** What expressions see as `managedCluster`. */
  readonly facts: JsonObject;
}

/** What an add-on says about one cluster. */
export interface ScoreSheet {
  readonly scores: readonly { readonly name: string; readonly value: number }[];
  /** The scores count up to and including this instant; absent: for good. */
  readonly validUntil: number | undefined;
}

export type SheetLookup = (cluster: string, resource: string) => ScoreSheet | undefined;
