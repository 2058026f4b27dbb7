import type { ClusterTaint } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';

/** A cluster that a Placement may select. */
export interface Candidate {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly ClusterTaint[];
  readonly allocatable: Readonly<Record<string, number | string>>;
  readonly capacity: Readonly<Record<string, number | string>>;
  /** The value of `managedCluster` in expressions. */
  readonly facts: JsonObject;
}

/** The scores that one AddOnPlacementScore contains for one cluster. */
export interface ScoreSheet {
  readonly scores: readonly { readonly name: string; readonly value: number }[];
  /** The scores are valid up to and including this time; undefined means no limit. */
  readonly validUntil: number | undefined;
}

export type SheetLookup = (cluster: string, resource: string) => ScoreSheet | undefined;
